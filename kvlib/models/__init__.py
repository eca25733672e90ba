"""Models: what a named model, or the `config.json` of any model, caches. Chapter 1.

    load("llama-3.1-8b")               from the catalogue, with source and date
    from_config("path/to/config.json") from the file that Hugging Face publishes with each model

A reader is a small function per family, by kind of cache: `dense`, `sliding`, `shared`, `latent`,
`recurrent`, `mamba`. It returns groups of layers; `payload` does all the arithmetic.
"""

from kvlib.models.catalogue import load, names
from kvlib.models.reader import from_config

__all__ = ["from_config", "load", "names"]
