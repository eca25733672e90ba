"""Latent: MLA layers cache one latent and one rotary key; some add an indexer's key.

Head counts and head sizes in these files describe the query side and do not enter. Draft layers
(num_nextn_predict_layers) are not part of the target. Source: DeepSeek-V2 (arXiv 2405.04434),
DeepSeek-V3.2 reference implementation; transformers 5.24.0, glm_moe_dsa, read 2026-11-29.
"""

from kvlib.models.fields import Fields
from kvlib.models.layers import INDEXED, latent, stated
from kvlib.payload import Group, Indexer


def mla(config: Fields) -> list[Group]:
    """Return the group of DeepSeek V2 and V3, Kimi K2 and GLM-4.7-Flash."""
    return [latent(config, config.layers())]


def deepseek_v32(config: Fields) -> list[Group]:
    """Return the groups of DeepSeek V3.2: every layer keeps an indexer key too."""
    layers = config.layers()
    stated(config, layers, (INDEXED,))
    return [*mla(config), _indexer(config, layers)]


def glm_dsa(config: Fields) -> list[Group]:
    """Return the groups of GLM-5: a layer that reuses its predecessor's choice keeps no key."""
    layers = config.layers()
    stated(config, layers, (INDEXED,))
    kinds = config.items("indexer_types", layers, ("full", "shared"), "full or shared")
    pattern = config.get("index_topk_pattern")
    if kinds is None and pattern is not None:
        config.refuse("index_topk_pattern", "null where indexer_types is missing")
    period = config.count("index_topk_freq", 1)
    first = config.count("index_skip_topk_offset", 2, minimum=0)
    own = [max(i - first + 1, 0) % period == 0 for i in range(layers)]
    if kinds is not None:
        listed = [kind == "full" for kind in kinds]
        if config.get("index_topk_freq") is not None and listed != own:
            config.refuse("indexer_types", "what index_topk_freq and its offset say")
        own = listed
    if not any(own):
        config.refuse("indexer_types", "full for at least one layer")
    return [*mla(config), _indexer(config, sum(own))]


def _indexer(config: Fields, layers: int) -> Indexer:
    config.ignore("index_topk", "index_n_heads", "index_share_for_mtp_iteration")
    return Indexer(layers=layers, key_dim=config.count("index_head_dim"))
