"""Tests that drive a real Chromium: `make browser-test`."""
