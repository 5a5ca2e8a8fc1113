"""Build tables and charts in one style. This package does not depend on any paper."""
