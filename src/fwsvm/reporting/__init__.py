"""Tables, charts, captions and their style; nothing here knows a paper."""
