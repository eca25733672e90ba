"""Known: the names that leave the cache alone. Every other name that no reader read is refused.

A name is known if it stands in a list below, or if its form alone says what it is: the number of
a token, an epsilon, a dropout (FORMS); positions and feed-forward layers (PARTS), unless it holds
a word of SHAPING too, as `expert_kv_heads` would. DRAFTS are no part of the target model
(`payload.with_draft` counts them). A name that only some families may ignore is not here: their
readers say so.
"""

import re

__all__ = ["harmless", "silent"]

MATHS = """
activation activation_function activation_situ_beta activation_situ_linear_beta
activation_sparsity_pattern add_full_attention_sink_bias add_swa_attention_sink_bias alibi
altup_active_idx altup_coef_clip altup_correct_scale altup_num_inputs attention_bias
attention_in_multiplier attention_multiplier attention_out_bias attention_out_multiplier
attention_softmax_in_fp32 attention_value_scale attn_logit_softcapping attn_output_gate attn_scale
attn_temperature_tuning bias clip_qkv embedding_multiplier final_logit_softcapping floor_scale
full_attn_alpha_factor full_attn_beta_factor hidden_act hidden_activation interpolate_factor
key_multiplier laurel_rank layernorm_full_attention_alpha layernorm_full_attention_beta
layernorm_linear_attention_alpha layernorm_linear_attention_beta layernorm_mlp_alpha
layernorm_mlp_beta linear_attn_alpha_factor linear_attn_beta_factor lm_head_bias lm_head_multiplier
logit_scale logits_scaling mamba_conv_bias mamba_hidden_act mamba_norm_before_gate mamba_proj_bias
mamba_rms_norm mla_use_nope mla_use_output_gate norm_type normalization_function
num_ln_in_parallel_attn output_gate_type parallel_attn partial_rotary_factor postnorm
projectors_bias qk_layernorm qk_norm_type qkv_bias query_pre_attn_scalar rescale_prenorm_residual
residual_in_fp32 residual_multiplier rotary_dim scale_attention_softmax_in_fp32 scale_attn_weights
ssm_in_multiplier ssm_multipliers ssm_out_multiplier swa_rope_theta swiglu_alpha swiglu_limit
tie_word_embeddings time_step_floor time_step_limit time_step_max time_step_min time_step_rank
use_bias use_conv_bias use_mrope use_parallel_block use_qk_norm use_rotary_pos_emb
"""
SIZES = """
hidden_size hidden_size_per_layer_input initial_context_length intermediate_size max_length
max_position_embeddings max_sequence_length model_max_length n_inner n_positions org_vocab_size
original_max_position_embeddings pad_vocab_size_multiple position_embedding_type seq_length
vocab_size vocab_size_per_layer_input
"""
EXPERTS = """
aux_loss_alpha decoder_sparse_step enable_moe_block ep_size expert_layer_offset expert_layer_period
first_k_dense_replace group_limited_greedy interleave_moe_layer_step mamba_use_mlp mlp_layer_types
mlp_only_layers moe_latent_size moe_layer_end_index moe_layer_freq moe_layer_interval
moe_layer_num_skipped moe_layer_start_index moe_layers moe_num_shared_experts
moe_shared_expert_intermediate_size moe_shared_expert_overlap n_group n_shared_experts
norm_topk_prob num_expert_group num_local_experts num_shared_expert num_shared_experts
routed_scaling_factor scoring_func seq_aux shared_expert_intermediate_size shared_intermediate_size
shared_moe_mode topk_group topk_method use_double_wide_mlp use_grouped_topk use_routing_bias
"""
DRAFTS = """
mtp_layers_block_type mtp_num_hidden_layers mtp_transformer_layers mtp_use_dedicated_embeddings
num_mtp_layers num_mtp_modules num_nextn_predict_layers use_mtp
"""
GENERATION = """
bad_words_ids begin_suppress_tokens cache_implementation diversity_penalty do_sample early_stopping
encoder_no_repeat_ngram_size exponential_decay_length_penalty length_penalty min_length
no_repeat_ngram_size num_beam_groups num_beams num_logits_to_keep num_return_sequences
output_attentions output_hidden_states output_scores remove_invalid_values repetition_penalty
return_dict return_dict_in_generate suppress_tokens temperature top_k top_p typical_p use_cache
use_return_dict
"""
TOOLS = """
_attn_implementation _attn_implementation_autoset _attn_implementation_internal _commit_hash
_flash_attn_2_enabled _name_or_path _source _source_kind add_classification_head architectures
attn_implementation auto_map chunk_size_feed_forward class_num compression_config
dense_list dtype finetuning_task gradient_checkpointing id2label
indexer_rope_interleave is_decoder label2id mamba_chunk_size mamba_dt_init_floor mamba_dt_limit
mamba_dt_max mamba_dt_min mamba_dt_rank model_type neftune_noise_alpha pad_id pool_type
pretraining_tp problem_type quantization quantization_config summary_activation
summary_proj_to_labels summary_type summary_use_proj task_specific_params tf_legacy_loss
tokenizer_class torch_dtype torchscript transformers.js_config transformers_version
use_associative_scan use_bfloat16 use_flash_attn use_mamba_kernels use_mambapy
"""
ABOUT = """
base_model bf16 bos_token chat_template created_by dataset datasets date description eos_token
flash_attn fp16 fp32 is_llama_config language library_name license model_name pad_token
pipeline_tag rotary_emb_base rotary_pct tags tie_weights torch_compile unk_token
use_flash_attention_2 version weights_dtype
"""
SENSES = """
audio_soft_tokens_per_image ignore_index im_end_id im_newline_id im_start_id image_placeholder
language_model_only mask_init_id mm_tokens_per_image multimodal_projector_bias
projection_hidden_size projector_hidden_act spatial_merge_size text_end_id text_start_id
use_unified_vision_chunk video_placeholder vision_feature_layer vision_soft_tokens_per_image
"""
NAMES = frozenset(f"{MATHS}{SIZES}{EXPERTS}{DRAFTS}{GENERATION}{TOOLS}{ABOUT}{SENSES}".split())

FORMS = re.compile(
    r"\w+_token_(id|ids|index)|\w+_(eps|epsilon)|(\w+_)?dropout|\w+_pdrop"
    r"|initializer_\w+|unsloth_\w+"
)
PARTS = re.compile(r"^rope_|_rope_theta$|(^|_)(moe|experts?|routed|router|mlp|ffn)(_|$)")
SHAPING_WORDS = """
attend attention attn bidirectional block cache channel chunk compress conv cross decay delta depth
dilat dim draft encoder group head hybrid index interval kernel key kv latent layer linear lora
mamba memory mixer mla nextn past pattern period pool qk query rank recur retention rwkv share sink
skip slid sparse ssm state stride value window yoco
"""
SHAPING = re.compile("|".join(SHAPING_WORDS.split()))
SPEAK_WHEN_FALSE = ("causal_attention", "causal_mask", "gqa", "use_attention", "use_gqa")


def harmless(key: str) -> bool:
    """Return whether a field called `key` is known to leave the cache alone.

    >>> harmless("rms_norm_eps"), harmless("num_experts"), harmless("use_cla"), harmless("new")
    (True, True, False, False)
    """
    if key in NAMES or FORMS.fullmatch(key):
        return True
    return bool(PARTS.search(key)) and not SHAPING.search(key)


def silent(key: str, value: object) -> bool:
    """Return whether an unknown field says nothing: null, empty, or switched off by false.

    >>> silent("use_nsa", False), silent("nsa", {}), silent("nsa", 0), silent("use_gqa", False)
    (True, True, False, False)
    """
    if value is False:
        return key not in SPEAK_WHEN_FALSE
    return value is None or (isinstance(value, str | list | tuple | dict) and not value)
