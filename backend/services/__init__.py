"""What can be done with an investigation, one verb a file, without HTTP."""
