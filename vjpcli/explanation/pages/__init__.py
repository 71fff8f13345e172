"""Pages of reference: what is known of an operation, and what a diagnostic code means."""
