"""Latent: MLA layers cache one latent and one rotary key; some add an indexer's key.

Head counts and head sizes in these files describe the query side and do not enter. Draft layers
(num_nextn_predict_layers) are not part of the target. Source: DeepSeek-V2 (arXiv 2405.04434),
DeepSeek-V3.2 reference implementation; transformers 5.24.0, glm_moe_dsa, read 2026-11-29.
"""

from kvlib.models.fields import Fields
from kvlib.models.layers import INDEXED, agreed, latent, stated
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
    """Return the groups of GLM-5: a layer that reuses its predecessor's choice keeps no key.

    Which layers choose is said by a list, by a pattern of letters or by a period; what a config
    says twice must agree.
    """
    layers = config.layers()
    stated(config, layers, (INDEXED,))
    kinds = config.items("indexer_types", layers, ("full", "shared"), "full or shared")
    pattern = config.get("index_topk_pattern")
    if pattern is not None:
        if not isinstance(pattern, str) or len(pattern) != layers or set(pattern) - {"F", "S"}:
            config.refuse("index_topk_pattern", f"a text of {layers} letters F or S")
        spelled = ["full" if letter == "F" else "shared" for letter in pattern]
        kinds = agreed(config, kinds, spelled, "index_topk_pattern", "indexer_types")
    period = config.count("index_topk_freq", 1)
    first = config.count("index_skip_topk_offset", 2, minimum=0)
    if kinds is None or config.get("index_topk_freq") is not None:
        own = [max(i - first + 1, 0) % period == 0 for i in range(layers)]
        derived = ["full" if chooses else "shared" for chooses in own]
        source = "index_topk_pattern" if pattern is not None else "indexer_types"
        if kinds is not None and kinds != derived:
            config.refuse(source, "what index_topk_freq and its offset say")
        kinds = derived
    if "full" not in kinds:
        config.refuse("indexer_types", "full for at least one layer")
    return [*mla(config), _indexer(config, kinds.count("full"))]


def _indexer(config: Fields, layers: int) -> Indexer:
    config.count("index_topk", 2_048)  # how many positions are chosen: no key less for that
    config.ignore("index_n_heads", "index_share_for_mtp_iteration")
    return Indexer(layers=layers, key_dim=config.count("index_head_dim"))
