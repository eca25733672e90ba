"""Wording of the apps: the words of `kvlib.wording`, under the name that the apps import."""

from kvlib.wording import SAME, apart, joined, rate, requests, sentence, share, time, tokens

__all__ = ["SAME", "apart", "joined", "rate", "requests", "sentence", "share", "time", "tokens"]
