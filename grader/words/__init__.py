"""Sentences, in one module for each audience: codes with fields come in, English goes out."""
