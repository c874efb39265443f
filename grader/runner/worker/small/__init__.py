"""Stand-ins for packages that a browser tab does not have. Learner code imports them by the packages' names."""
