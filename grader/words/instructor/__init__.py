"""The sentences for an instructor about a class. There is one module for each part of the class."""
