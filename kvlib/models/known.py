"""Known: which field names sound like the cache, and which of those do not shape it.

A name that holds one of WORDS, or an acronym of TOKENS between underscores, may change what is
cached, so a reader has to know it. HARMLESS are the names that do and still leave the cache alone:
MATHS (norms, biases, scales), EXPERTS (feed-forward layers), DRAFTS (no part of the target model;
`payload.with_draft` counts them) and the REST (positions, sampling, other parts, tooling). A name
that only some families may ignore is not here: their readers say so.
"""

import re

__all__ = ["HARMLESS", "shapes"]


WORD_LIST = """
attend attention attn bidirectional block cache channel chunk compress conv cross decay delta dilat
draft encoder group head hybrid index interval kernel latent layer linear lora mamba memory mixer
nextn past pattern period pool query rank recur retention rwkv share sink skip slid sparse state
stride window yoco
"""
TOKEN_LIST = "cla gdn gla kda key keys kv local mla mtp qk ssm swa value values"

MATHS = """
activation_situ_linear_beta activation_sparsity_pattern add_full_attention_sink_bias
add_swa_attention_sink_bias altup_active_idx attention_bias attention_dropout
attention_in_multiplier attention_multiplier attention_out_bias attention_out_multiplier
attention_output_gate attention_softmax_in_fp32 attention_value_scale attn_logit_softcapping
attn_output_gate attn_pdrop attn_scale attn_temperature_tuning full_attn_alpha_factor
full_attn_beta_factor key_multiplier laurel_rank layer_norm_eps layer_norm_epsilon
layernorm_epsilon layernorm_full_attention_alpha layernorm_full_attention_beta
layernorm_linear_attention_alpha layernorm_linear_attention_beta layernorm_mlp_alpha
layernorm_mlp_beta linear_attn_alpha_factor linear_attn_beta_factor lm_head_multiplier
mamba_conv_bias mamba_hidden_act mamba_norm_before_gate mamba_proj_bias mamba_rms_norm
mla_use_nope mla_use_output_gate num_ln_in_parallel_attn parallel_attn qk_layernorm qk_norm_type
query_pre_attn_scalar scale_attention_softmax_in_fp32 scale_attn_weights ssm_in_multiplier
ssm_multipliers ssm_out_multiplier use_conv_bias use_qk_norm
"""
EXPERTS = """
decoder_sparse_step enable_moe_block expert_layer_offset expert_layer_period first_k_dense_replace
group_limited_greedy interleave_moe_layer_step mamba_use_mlp mlp_layer_types mlp_only_layers
moe_latent_size moe_layer_end_index moe_layer_freq moe_layer_interval moe_layer_num_skipped
moe_layer_start_index moe_layers moe_num_shared_experts moe_shared_expert_intermediate_size
moe_shared_expert_overlap n_group n_shared_experts num_expert_group num_local_experts
num_shared_expert num_shared_experts shared_expert_intermediate_size shared_intermediate_size
shared_moe_mode topk_group use_double_wide_mlp use_grouped_topk
"""
DRAFTS = """
mtp_num_hidden_layers mtp_transformer_layers mtp_use_dedicated_embeddings num_mtp_layers
num_mtp_modules num_nextn_predict_layers use_mtp
"""
REST = """
_attn_implementation _attn_implementation_autoset add_classification_head attn_implementation
boi_token_index cache_implementation chunk_size_feed_forward cross_attention_hidden_size
encoder_no_repeat_ngram_size eoa_token_index eoi_token_index hidden_size_per_layer_input
ignore_index image_token_index indexer_rope_interleave mamba_chunk_size mamba_dt_init_floor
mamba_dt_limit mamba_dt_max mamba_dt_min mamba_dt_rank num_beam_groups num_logits_to_keep
output_attentions output_hidden_states pool_type position_embedding_type pruned_heads
rope_local_base_freq swa_rope_theta tie_encoder_decoder time_step_rank use_associative_scan
use_cache use_mamba_kernels use_mambapy use_parallel_block use_unified_vision_chunk
video_token_index vision_feature_layer vision_soft_tokens_per_image vocab_size_per_layer_input
"""

WORDS = re.compile("|".join(WORD_LIST.split()))
TOKENS = frozenset(TOKEN_LIST.split())
HARMLESS = frozenset(f"{MATHS}{EXPERTS}{DRAFTS}{REST}".split())


def shapes(key: str) -> bool:
    """Return whether a field called `key` may change what is cached.

    >>> shapes("compress_ratios"), shapes("use_cla"), shapes("layer_norm_eps"), shapes("n_classes")
    (True, True, False, False)
    """
    if key in HARMLESS:
        return False
    low = key.lower()
    return bool(WORDS.search(low)) or not TOKENS.isdisjoint(re.findall("[a-z]+", low))
