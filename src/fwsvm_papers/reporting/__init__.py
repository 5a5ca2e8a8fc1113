"""The common style of all tables and charts. This package does not depend on any paper."""
