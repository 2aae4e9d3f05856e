"""Scenario tests: what a user of the server sees, written as text files. tests/scenarios/README.md is the manual."""
