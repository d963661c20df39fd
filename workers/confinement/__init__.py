"""What a process that reads hostile bytes gives up for good: privileges, system calls, files, the network.

Standard library and system calls alone, so that it can be used before anything else is imported."""
