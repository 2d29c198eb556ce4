"""Text that is known to every reader of a link, so that a token need not carry it: a token is some 200 characters long.

A dictionary is frozen once links have been made with it: their letters mean nothing without it. Where the record has
grown much, add another one in front; the readers find the right one by its checksum, which stands in the token.
"""

import zlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

# fmt: off
_FIRST: Final = (
    '"a100-sxm-80g","a800-sxm","b200-sxm","b300-sxm","deepseek-v3","deepseek-v4-flash","deepseek-v4-pro",'
    '"h100-sxm","h200-sxm","l40s","llama-2-70b","llama-3.1-405b","llama-3.1-70b","llama-3.1-8b","llama-3.'
    '3-70b","mi300x","mi325x","mi355x","qwen2.5-vl-72b","qwen3-vl-235b-a22b","rtx-pro-6000-blackwell-serv'
    'er","sdxl""vendor":,"part":,"basis":,"date":,"valid_until":,"price":,"currency":,"quantity":,"gpus_i'
    'n_server":,"delivery_months":,"warranty_years":,"memory_gb":,"bandwidth_tbs":,"peaks":"section":,"ar'
    'ticle":,"verdict":,"topic":,"part":,"search":,"page":,"claim":,"own":,"own_part":,"own_other":,"own_'
    'gpus":,"own_ratio":,"own_price":"view":,"parts":"own_parts":[{"name":"MI450X","vendor":"other","memo'
    'ry_gib":432.0,"memory_bandwidth_tbs":null,"fp16_bf16_dense_tflops":null,"fp8_dense_tflops":null,"fp4'
    '_dense_tflops":null,"interconnect_gbs":null,"tdp_w":null,"gpus_per_node":8}],"preference":{"metric":'
    '"million-tokens","target_load":0.8,"software_weight":0.0,"evidence_weight":0.0,"x_axis":"unit-cost",'
    '"y_axis":"throughput","map_x":"","map_y":"","price_points":60,"speed_points":20,"evidence_points":10'
    ',"software_points":10},"stack":{"runs_today":"cuda","kernel_libraries":1,"kernel_lines":null,"effort'
    '":"base"},"timing":{"part":"","gpus":null,"rent_first_months":6,"lead_months":null,"prices_follow":t'
    'rue,"wait_for":""},"acquisition":"commit-1y","price_source":"own","acquisition":"commit-3y","acquisi'
    'tion":"rent","price_source":"article-a1","task":"train","task":"finetune","task":"image","training_m'
    'ethod":"lora","training":{"zero_stage":3,"accounting":"zero-paper","tensor_parallel_size":1,"pipelin'
    'e_parallel_size":1,"expert_parallel_size":1,"sequence_parallel":false,"recompute":"selective","offlo'
    'ad":"none","optimizer":"adam","micro_batch":1,"lora_rank":16,"lora_targets":"all-linear","double_qua'
    'ntisation":true}{"version":1,"edition":"2026-11-30-","preset":"serve-70b","language":"en","title":""'
    ',"workloads":[{"name":"bf16","task":"serve","share":0.5,"model":"llama-3.3-70b","config":"","weight_'
    'format":"bf16","kv_format":"bf16","input_tokens":4096,"output_tokens":512,"concurrency":64,"shared_p'
    'refix_tokens":0,"draft_layers":false,"max_model_len":null,"request_rate_per_s":null,"peak_factor":1.'
    '0,"spare_replicas":0,"ttft_limit_ms":null,"tpot_limit_ms":50.0,"training_method":"full","training_gp'
    'us":null,"training":null,"stated_output_tokens_per_hour":null,"output_weight":null,"users_per_sequen'
    'ce":null,"training_gpu_hours":null},{"name":"fp8","task":"serve","share":0.5,"model":"llama-3.3-70b"'
    ',"config":"","weight_format":"fp8-tensor","kv_format":"bf16","input_tokens":4096,"output_tokens":512'
    ',"concurrency":64,"shared_prefix_tokens":0,"draft_layers":false,"max_model_len":null,"request_rate_p'
    'er_s":null,"peak_factor":1.0,"spare_replicas":0,"ttft_limit_ms":null,"tpot_limit_ms":50.0,"training_'
    'method":"full","training_gpus":null,"training":null,"stated_output_tokens_per_hour":null,"output_wei'
    'ght":null,"users_per_sequence":null,"training_gpu_hours":null}],"candidates":[{"accelerator":"mi300x'
    '","gpus":null,"acquisition":"buy","price_source":"catalogue","gpu_price_usd":null,"server_price_usd"'
    ':null,"rent_usd_per_gpu_hour":null,"rent_usd_per_gpu_month":null,"throughput_factor":null,"prepaid_f'
    'raction":0.0,"minimum_months":0,"order_month":0,"delivery_months":null,"acceptance_months":0,"deposi'
    't_fraction":0.0,"bridge":"none","bridge_part":null,"bridge_gpus":null,"bridge_usd_per_gpu_hour":null'
    ',"bridge_usd_per_month":null},{"accelerator":"h100-sxm","gpus":null,"acquisition":"buy","price_sourc'
    'e":"catalogue","gpu_price_usd":null,"server_price_usd":null,"rent_usd_per_gpu_hour":null,"rent_usd_p'
    'er_gpu_month":null,"throughput_factor":null,"prepaid_fraction":0.0,"minimum_months":0,"order_month":'
    '0,"delivery_months":null,"acceptance_months":0,"deposit_fraction":0.0,"bridge":"none","bridge_part":'
    'null,"bridge_gpus":null,"bridge_usd_per_gpu_hour":null,"bridge_usd_per_month":null},{"accelerator":"'
    'h200-sxm","gpus":null,"acquisition":"buy","price_source":"catalogue","gpu_price_usd":null,"server_pr'
    'ice_usd":null,"rent_usd_per_gpu_hour":null,"rent_usd_per_gpu_month":null,"throughput_factor":null,"p'
    'repaid_fraction":0.0,"minimum_months":0,"order_month":0,"delivery_months":null,"acceptance_months":0'
    ',"deposit_fraction":0.0,"bridge":"none","bridge_part":null,"bridge_gpus":null,"bridge_usd_per_gpu_ho'
    'ur":null,"bridge_usd_per_month":null},{"accelerator":"mi325x","gpus":null,"acquisition":"buy","price'
    '_source":"catalogue","gpu_price_usd":null,"server_price_usd":null,"rent_usd_per_gpu_hour":null,"rent'
    '_usd_per_gpu_month":null,"throughput_factor":null,"prepaid_fraction":0.0,"minimum_months":0,"order_m'
    'onth":0,"delivery_months":null,"acceptance_months":0,"deposit_fraction":0.0,"bridge":"none","bridge_'
    'part":null,"bridge_gpus":null,"bridge_usd_per_gpu_hour":null,"bridge_usd_per_month":null}],"own_part'
    's":[],"engine":{"engine":"vllm-v1","gpu_memory_utilization":null,"max_num_batched_tokens":null,"max_'
    'num_seqs":null,"sampler":null,"decode_context_parallel_size":1,"online_quantization":false},"money":'
    '{"horizon_years":3,"discount_rate":0.1,"utilisation":0.4,"electricity_usd_per_kwh":0.0929,"power_usa'
    'ge_effectiveness":1.5,"colocation_usd_per_kw_month":195.94,"hardware_support_fraction":0.05,"residua'
    'l_scale":1.0,"staff_fte_per_server":0.25,"staff_usd_per_fte_year":325000.0,"migration_engineer_weeks'
    '":6.0,"network_usd_per_gpu":3500.0,"spares_fraction":0.05,"rent_change_per_year":0.0,"rent_support_f'
    'raction":0.03,"licence_usd_per_gpu_year":0.0,"electricity_change_per_year":0.0,"site":"colocation","'
    'fit_out_usd_per_kw":null,"storage_tb":0.0,"storage_usd_per_tb_month":23.0,"egress_tb_per_month":0.0,'
    '"egress_usd_per_tb":90.0,"currency":"USD","currency_per_usd":null,"grid":"us","grid_kg_per_kwh":null'
    '},"constraints":{"software":[],"power_kw":null,"budget_usd":null,"budget_by_year":[],"contingency_fr'
    'action":0.0,"gpus":null,"deadline":""},"preference":null,"view":{"workload":0,"mlperf_round":"v4.1",'
    '"mlperf_model":"llama2-70b","mlperf_scenario":"Offline","serving_model":"","serving_shape":"","publi'
    'shers":"all","section":"","since":"","serving_engine":"","queue_limited":"shown","training_benchmark'
    '":"","training_round":"","training_format":"","micro":"bandwidth","micro_format":"","kit_part":"","k'
    'it_engine":"","base":"","memory_section":"models","memory_part":"","priced":0,"cost_section":"","cos'
    't_group":"buy","cost_first":null,"cost_second":null,"typed":false,"map_x":"","map_y":"","reach_limit'
    '":"npv","reach_usd":null,"reach_kw":null,"table":"","table_part":"","table_source":"","table_search"'
    ':"","stack":null,"timing":null,"claims":{},"inside":{"parts":[]}}}'
)
# fmt: on

DICTIONARY: Final = _FIRST.encode()
"""What new tokens are made with."""

DICTIONARIES: Final[Mapping[int, bytes]] = MappingProxyType({zlib.adler32(one): one for one in (DICTIONARY,)})
"""Every dictionary that a link was ever made with, by the checksum that a token names."""
