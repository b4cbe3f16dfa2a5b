const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/**
 * Functions of pg_catalog that only look, however often they are called. What is not here is not a read: `nextval`,
 * `pg_sleep`, `pg_terminate_backend`, `query_to_xml` (it runs SQL), `pg_read_file`, every function of the user's own.
 */
const STEADY = words(`
  count sum avg min max any_value array_agg string_agg json_agg jsonb_agg json_object_agg jsonb_object_agg bool_and
  bool_or every bit_and bit_or bit_xor stddev stddev_pop stddev_samp variance var_pop var_samp corr covar_pop covar_samp
  regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy mode percentile_cont
  percentile_disc
  row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value
  abs cbrt ceil ceiling degrees div exp factorial floor gcd lcm ln log log10 mod pi power pow radians round scale
  min_scale trim_scale sign sqrt trunc width_bucket acos asin atan atan2 cos cot sin tan sinh cosh tanh
  ascii bit_length btrim char_length character_length chr concat concat_ws format initcap left length lower lpad ltrim
  md5 normalize is_normalized octet_length overlay parse_ident position quote_ident quote_literal quote_nullable
  regexp_count regexp_instr regexp_like regexp_match regexp_replace regexp_split_to_array
  regexp_substr replace reverse right rpad rtrim split_part starts_with string_to_array
  strpos substr substring to_hex translate unistr upper encode decode get_bit get_byte sha224 sha256
  sha384 sha512 convert_from convert_to like_escape similar_to_escape
  age date date_bin date_part date_trunc extract isfinite justify_days justify_hours justify_interval make_date make_interval
  make_time make_timestamp make_timestamptz now overlaps timezone to_char to_date to_number to_timestamp
  transaction_timestamp statement_timestamp
  array_append array_cat array_dims array_fill array_length array_lower array_ndims array_position array_positions
  array_prepend array_remove array_replace array_to_string array_upper cardinality trim_array
  to_json to_jsonb array_to_json row_to_json json_build_array json_build_object json_object jsonb_build_array
  jsonb_build_object jsonb_object
  json_array_length jsonb_array_length
  json_extract_path json_extract_path_text jsonb_extract_path jsonb_extract_path_text
  json_strip_nulls jsonb_strip_nulls json_typeof
  jsonb_typeof jsonb_path_exists jsonb_path_match jsonb_path_query_array jsonb_path_query_first
  jsonb_pretty jsonb_set jsonb_insert
  num_nonnulls num_nulls isempty lower_inc upper_inc lower_inf upper_inf range_merge
  int4range int8range numrange tsrange tstzrange daterange
  to_tsquery plainto_tsquery phraseto_tsquery websearch_to_tsquery to_tsvector ts_rank ts_rank_cd ts_headline
  host family masklen netmask network
  version current_database current_schema current_schemas pg_typeof pg_size_pretty pg_relation_size pg_table_size
  pg_indexes_size pg_total_relation_size pg_database_size pg_column_size format_type obj_description col_description
  pg_get_viewdef pg_get_constraintdef pg_get_indexdef pg_get_expr pg_table_is_visible pg_collation_for to_regclass
  has_table_privilege has_column_privilege has_schema_privilege`);

/** They only look, and may answer with many rows. */
const SETS = words(`
  regexp_matches regexp_split_to_table string_to_table unnest generate_series generate_subscripts json_array_elements
  json_array_elements_text jsonb_array_elements jsonb_array_elements_text json_each json_each_text jsonb_each
  jsonb_each_text json_object_keys jsonb_object_keys json_to_record json_to_recordset jsonb_to_record jsonb_to_recordset
  jsonb_path_query`);

/** They only look, but answer differently every time: what is chosen by them cannot be counted beforehand. */
const RESTLESS = words('random random_normal gen_random_uuid clock_timestamp timeofday');

export const READ_FUNCTIONS: ReadonlySet<string> = new Set([...STEADY, ...SETS, ...RESTLESS]);
export const RESTLESS_FUNCTIONS: ReadonlySet<string> = new Set(RESTLESS);
export const ONE_ROW_FUNCTIONS: ReadonlySet<string> = new Set([...STEADY, ...RESTLESS, 'nextval']);
