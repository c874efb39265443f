"""The commands of `grade`: a function for each, whose parameters are the command's words and options.

In: the words of a command line. Out: text for a terminal, and an exit code.
It never computes a result itself: what a command does is in the packages before this one.
"""
