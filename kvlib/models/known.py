"""Known: which field names sound like the cache, and which of those do not shape it.

A name that holds one of WORDS may change what is cached, so a reader has to know it. HARMLESS are
the names that hold such a word and still leave the cache alone: weights, training, positions,
experts, tokens, sampling. A name that only some families may ignore is not here: their readers say so.
"""

WORDS = (
    "attend attention attn bidirectional block cache channel chunk cla compress conv cross decay "
    "delta dilat draft encoder frame gdn global group head hybrid index interval kda kernel key kv "
    "latent layer linear local lora mamba memory mixer mla mtp nextn past pattern period pool "
    "query rank recur retention rwkv share sink skip slid sparse ssm state stride swa token_shift "
    "value window yoco"
).split()  # fmt: skip

HARMLESS = frozenset(
    # Normalisation, activation, biases, scales, dropout, initial values
    """
    add_full_attention_sink_bias add_swa_attention_sink_bias attention_bias attention_dropout
    attention_in_multiplier attention_multiplier attention_out_bias attention_out_multiplier
    attention_output_gate attention_softmax_in_fp32 attention_value_scale attn_logit_softcapping
    attn_output_gate attn_pdrop attn_scale attn_temperature_tuning key_multiplier layer_norm_eps
    layer_norm_epsilon layernorm_epsilon layernorm_full_attention_alpha
    layernorm_full_attention_beta layernorm_linear_attention_alpha layernorm_linear_attention_beta
    full_attn_alpha_factor full_attn_beta_factor linear_attn_alpha_factor linear_attn_beta_factor
    lm_head_multiplier mamba_conv_bias mamba_hidden_act mamba_norm_before_gate mamba_proj_bias
    mamba_rms_norm mla_use_nope mla_use_output_gate qk_layernorm qk_norm_type query_pre_attn_scalar
    scale_attention_softmax_in_fp32 scale_attn_weights ssm_in_multiplier ssm_multipliers
    ssm_out_multiplier use_conv_bias activation_situ_linear_beta altup_active_idx laurel_rank
    activation_sparsity_pattern parallel_attn num_ln_in_parallel_attn use_qk_norm
    """
    # Feed-forward layers and experts
    """
    decoder_sparse_step dense_attention_moe enable_moe_block expert_layer_offset
    expert_layer_period first_k_dense_replace interleave_moe_layer_step mamba_use_mlp
    mlp_layer_types mlp_only_layers moe_layer_end_index moe_layer_freq moe_layer_interval
    moe_layer_start_index moe_layers moe_num_shared_experts moe_shared_expert_intermediate_size
    moe_shared_expert_overlap n_group n_shared_experts norm_topk_prob num_expert_group
    num_shared_expert num_shared_experts shared_expert_intermediate_size shared_intermediate_size
    shared_moe_mode topk_group use_grouped_topk share_expert_dim num_expert_groups
    moe_random_routing_dropped_token moe_router_activation_func norm_min
    """
    # Draft layers: not part of the target model; count them with payload.with_draft
    """
    mtp_num_hidden_layers mtp_transformer_layers mtp_use_dedicated_embeddings num_mtp_layers
    num_mtp_modules num_nextn_predict_layers use_mtp
    """
    # Positions
    """
    indexer_rope_interleave no_rope_layer_offset position_embedding_type rope_local_base_freq
    rope_theta_global swa_rope_theta
    """
    # Embeddings, output, other parts, tooling
    """
    add_classification_head audio_soft_tokens_per_image chunk_size_feed_forward
    cross_attention_hidden_size hidden_size_per_layer_input image_token_index
    keys_to_ignore_at_inference mamba_chunk_size num_logits_to_keep output_attentions
    output_hidden_states pool_type pruned_heads tie_encoder_decoder use_mamba_kernels use_mambapy
    vision_soft_tokens_per_image vocab_size_per_layer_input use_parallel_block
    use_unified_vision_chunk encoder_no_repeat_ngram_size boi_token_index eoa_token_index
    eoi_token_index image_token_index video_token_index use_cache cache_implementation
    _attn_implementation _attn_implementation_autoset attn_implementation use_double_wide_mlp
    mamba_dt_rank mamba_dt_min mamba_dt_max mamba_dt_limit mamba_dt_init_floor time_step_rank
    scale_depth dense_list tie_word_embeddings_across_layers use_associative_scan
    language_model_only ignore_index vision_feature_layer layerdrop
    """.split()
)


def shapes(key: str) -> bool:
    """Return whether a field called `key` may change what is cached.

    >>> shapes("compress_ratios"), shapes("layer_norm_eps"), shapes("vocab_size")
    (True, False, False)
    """
    return key not in HARMLESS and any(word in key.lower() for word in WORDS)
