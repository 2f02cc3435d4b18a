"""Measures the gateway beside its peers; every module is one idea."""
