import Testing

@testable import Configuration

@Suite("Table of settings")
struct SettingsTableTests {
  /// The names that section 6 of the protocol page gives, then those of this server's own.
  private static let names = [
    "listen", "tls.listen", "tls.certificate", "tls.private_key", "operations.listen",
    "limits.open_timeout_ms", "limits.ping_interval_ms", "limits.pong_timeout_ms",
    "limits.head_timeout_ms", "limits.keep_alive_timeout_ms",
    "drain.timeout_ms", "data_dir", "auth.mode", "auth.jwt_secret",
    "auth.jwt_public_key", "auth.jwks", "auth.jwks_url", "auth.jwt_issuer", "auth.jwt_audience",
    "auth.jwks_stale_seconds", "auth.api_token", "limits.flood.messages", "limits.flood.window_ms",
    "limits.user_flood.messages", "limits.user_flood.window_ms",
    "limits.throttle.messages", "limits.throttle.window_ms", "limits.connections_per_user",
    "limits.channels_per_user", "limits.message_bytes", "limits.outbound_bytes",
    "limits.calls_per_second", "limits.calls_burst", "auth.allowed_origins", "unfurl.mode",
    "unfurl.url", "unfurl.timeout_ms", "unfurl.max_bytes", "unfurl.max_redirects",
    "unfurl.cache_ttl_seconds", "unfurl.negative_ttl_seconds", "unfurl.allow_addresses",
    "unfurl.allow_ports", "reactors", "log.level", "log.format", "audit.log", "audit.messages",
    "limits.flood.exempt_operators", "limits.connections", "limits.http_body_bytes",
    "limits.platform_calls_per_second", "limits.platform_calls_burst", "limits.query_ms",
    "fan_out.io_uring", "compression.contexts", "streams.mode", "streams.grace_seconds",
    "unfurl.cache_min_ttl_seconds",
    "unfurl.stale_ttl_seconds",
    "unfurl.cache_memory_bytes", "unfurl.cache_disk_bytes", "unfurl.allow_domains",
    "unfurl.deny_domains", "unfurl.opt_out_file", "unfurl.max_concurrent",
    "unfurl.max_concurrent_per_host", "unfurl.max_concurrent_per_user", "unfurl.user_agent",
    "unfurl.accept_language",
    "unfurl.proxy", "unfurl.oembed", "proxy.listen", "proxy.field", "proxy.trusted",
    "limits.file_bytes", "limits.memory_bytes", "limits.upload_timeout_ms", "files.public_url",
    "files.store", "files.s3_key", "files.s3_secret",
    "webhooks.urls", "webhooks.secret", "webhooks.events",
    "webhooks.timeout_ms", "webhooks.concurrency", "webhooks.retry_seconds",
    "webhooks.backlog_events", "hooks.url", "hooks.urls", "hooks.events", "hooks.secret",
    "hooks.timeout_ms", "hooks.concurrency", "hooks.on_failure", "hooks.session_cache_seconds",
    "hooks.platform", "limits.connections_per_address",
    "limits.unopened_connections_per_address", "store.url", "store.readers", "store.retention_days",
    "store.retention", "store.keep_messages", "store.deletion_hold_seconds",
    "cluster.bus", "cluster.name", "cluster.server_name", "cluster.secret", "cluster.beat_ms",
    "cluster.server_timeout_ms", "cluster.call_timeout_ms", "cluster.isolation_ms",
    "limits.preview_fetches_per_second", "limits.uploads_per_user", "limits.uploads_per_second",
    "limits.uploads_per_minute",
    "limits.user_messages_per_day", "limits.user_channels_per_day", "limits.user_groups_created",
    "limits.messages_stored", "limits.database_bytes",
    "limits.upload_retention_seconds", "limits.user_file_bytes", "limits.files_disk_bytes",
    "limits.disk_reserve_bytes", "files.encryption", "files.master_keys",
    "files.master_key_command", "files.key_seconds", "files.grace_seconds",
    "limits.file_key_failures_per_second", "limits.send_wait_ms",
    "thumbnails.mode", "thumbnails.sandbox", "thumbnails.concurrency", "thumbnails.queue",
    "thumbnails.max_pixels", "thumbnails.cpu_ms", "thumbnails.memory_bytes",
    "unfurl.images", "unfurl.images_disk_bytes",
    "translation.mode", "translation.url", "translation.api_key", "translation.source",
    "translation.timeout_ms", "translation.concurrency", "translation.cache_ttl_seconds",
    "translation.cache_disk_bytes", "translation.characters_per_day",
    "translation.characters_per_user_minute",
    "limits.translations_per_second", "dashboard.mode", "groups.receipts_members",
    "groups.totals_ms",
    "limits.custom_type_length", "limits.data_bytes", "limits.metaarray.keys",
    "limits.metaarray.key_length", "limits.metaarray.values", "limits.metaarray.value_length",
    "limits.metaarray.bytes", "limits.metadata.keys", "limits.metadata.key_length",
    "limits.metadata.value_length", "limits.metadata.user_bytes",
    "groups.max_members", "groups.max_super_members", "groups.max_joined", "groups.max_invited",
    "groups.invites_per_minute", "groups.created_per_minute", "groups.auto_accept",
    "groups.invite_by", "groups.display_past_message", "groups.private_reads",
    "groups.delete_empty_after_days", "groups.delivery_receipts",
    "push.web", "push.subject", "push.apns.key_file", "push.apns.key_id", "push.apns.team_id",
    "push.apns.topic", "push.apns.url", "push.fcm.service_account", "push.fcm.url",
    "push.fcm_style", "push.ca_file", "push.url", "push.url_types", "push.secret",
    "push.concurrency", "push.delay_ms", "push.max_age_seconds", "push.ttl_seconds",
    "push.show_text", "push.title", "push.text_file", "push.text_hidden", "push.clear_on_read",
    "push.open_channel_mentions", "push.per_user_per_minute", "push.per_sender_per_minute",
    "push.allow_addresses", "push.allow_ports", "search.mode",
  ]

  @Test("every setting of the contract exists, and no undocumented ones")
  func complete() {
    #expect(Set(SettingsTable.gateway.all.map(\.name)) == Set(Self.names))
  }

  @Test("names, flags and variables are unique")
  func unique() {
    #expect(Set(SettingsTable.gateway.all.map(\.name)).count == SettingsTable.gateway.all.count)
    #expect(Set(SettingsTable.gateway.all.map(\.flag)).count == SettingsTable.gateway.all.count)
    #expect(Set(SettingsTable.gateway.all.map(\.variable)).count == SettingsTable.gateway.all.count)
  }

  @Test("flags and variables are derived from the name")
  func spelling() throws {
    let definition = try #require(SettingsTable.gateway.definition(named: "limits.flood.window_ms"))
    #expect(definition.flag == "--limits-flood-window-ms")
    #expect(definition.variable == "PARLEY_LIMITS_FLOOD_WINDOW_MS")
  }

  @Test("every default with a text form is accepted as input", arguments: SettingsTable.gateway.all)
  func defaultsAreTaken(definition: SettingDefinition) throws {
    guard case .value(let text) = definition.defaultValue else { return }
    #expect(try load([definition.flag + "=" + text]) == load())
    #expect(try load(environment: [definition.variable: text]) == load())
    #expect(try load(file: "\(definition.name): \"\(text)\"") == load())
  }

  @Test(
    "every setting refuses invalid values, and names itself", arguments: SettingsTable.gateway.all)
  func nonsense(definition: SettingDefinition) {
    let found = problems([definition.flag + "=\u{7}nonsense"])
    #expect(found.count == 1)
    #expect(found.first?.hasPrefix(definition.name + ": expected") == true)
    #expect(found.first?.hasSuffix("(flag \(definition.flag))") == true)
  }

  @Test(
    "numbers beyond their range are refused",
    arguments: [
      "--limits-flood-messages=10001", "--limits-flood-messages=-1", "--limits-calls-burst=0",
      "--limits-throttle-messages=99999999999999999999", "--limits-message-bytes=1e3",
      "--limits-ping-interval-ms=0", "--reactors=1.5", "--reactors= 1", "--drain-timeout-ms=٣",
      "--limits-metaarray-keys=101", "--limits-metaarray-keys=0", "--limits-data-bytes=24577",
    ])
  func ranges(word: String) {
    #expect(problems([word]).count == 1)
  }
}

extension SettingDefinition: CustomTestStringConvertible {
  package var testDescription: String { name }
}
