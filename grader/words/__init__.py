"""Turn codes with fields into English sentences. There is one module for each audience."""
