import Telemetry
import Testing

@testable import Gateway

@Suite("Problems")
struct ProblemFinderTests {
  private func sample(
    _ name: String, _ value: Double, _ label: (name: String, value: String)? = nil
  ) -> MetricSample {
    let labels = label.map { [MetricDefinition.Label($0.name, $0.value)] } ?? []
    return MetricSample(
      MetricDefinition(name, kind: .gauge, help: "", labels: labels), .real(value))
  }

  private func kinds(_ samples: MetricSample...) -> [String] {
    ProblemFinder(samples).problems.map(\.kind.rawValue)
  }

  @Test("a server without samples, or with good ones, has no problems")
  func none() {
    #expect(ProblemFinder([]).problems.isEmpty)
    #expect(
      kinds(
        sample("parley_store_healthy", 1), sample("parley_store_write_queue", 5_000),
        sample("parley_cluster_bus_up", 1), sample("parley_cluster_echo_seconds", 3),
        sample("parley_disk_free_bytes", 2e9), sample("process_open_fds", 85),
        sample("parley_quota_used_ratio", 0.79, ("quota", "limits.database_bytes")),
        sample("process_max_fds", 100), sample("parley_certificate_expiry_seconds", 22 * 86_400),
        sample("parley_file_master_keys_missing", 0),
        sample("parley_jwks_overdue_seconds", 300, ("issuer", "a")),
        sample("parley_jwks_keys", 1, ("issuer", "a")),
        sample("parley_jwks_overdue_seconds", 30, ("issuer", "b")),
        sample("parley_jwks_keys", 0, ("issuer", "b")),
        sample("parley_api_token_expiry_seconds", 15 * 86_400, ("name", "shop")),
        sample("parley_hook_circuit_open", 0, ("hook", "message.send")),
        sample("parley_webhook_oldest_event_seconds", 300), sample("parley_push_oldest_seconds", 0),
        sample("parley_translation_service_up", 1), sample("parley_preview_service_up", 1),
        sample("parley_settings_reloaded", 1),
        sample("parley_audit_lines_total", 7, ("outcome", "written")),
        sample("parley_audit_lines_total", 0, ("outcome", "lost")),
        sample("parley_log_lines_lost_total", 0), sample("parley_clock_behind_seconds", 1)
      ).isEmpty)
  }

  @Test("each kind is found in its metric, and they are listed in the order of their kinds")
  func all() {
    let found = kinds(
      sample("parley_clock_behind_seconds", 1.5), sample("parley_log_lines_lost_total", 1),
      sample("parley_audit_lines_total", 2, ("outcome", "lost")),
      sample("parley_settings_reloaded", 0), sample("parley_preview_service_up", 0),
      sample("parley_translation_service_up", 0), sample("parley_push_oldest_seconds", 301),
      sample("parley_webhook_oldest_event_seconds", 301),
      sample("parley_hook_circuit_open", 1, ("hook", "message.send")),
      sample("parley_api_token_expiry_seconds", 60, ("name", "shop")),
      sample("parley_jwks_overdue_seconds", 301, ("issuer", "a")),
      sample("parley_file_master_keys_missing", 1),
      sample("parley_certificate_expiry_seconds", 86_400), sample("process_max_fds", 100),
      sample("process_open_fds", 86), sample("parley_disk_free_bytes", 1e9),
      sample("parley_quota_used_ratio", 0.8, ("quota", "limits.database_bytes")),
      sample("parley_cluster_bus_up", 0), sample("parley_cluster_echo_seconds", 9),
      sample("parley_store_write_queue", 5_001), sample("parley_store_healthy", 0))
    #expect(found == Problem.Kind.allCases.map(\.rawValue))
  }

  @Test("messages have the value, and its unit")
  func messages() {
    func message(_ samples: MetricSample...) -> String? {
      ProblemFinder(samples).problems.first?.message
    }
    let day = 86_400.0
    let certificate = "parley_certificate_expiry_seconds"
    #expect(message(sample(certificate, 21 * day)) == "the TLS certificate expires in 21 days")
    #expect(message(sample(certificate, 1.5 * day)) == "the TLS certificate expires in 1 day")
    #expect(message(sample(certificate, 7_300)) == "the TLS certificate expires in 2 hours")
    #expect(message(sample(certificate, -1)) == "the TLS certificate has expired")
    let token = "parley_api_token_expiry_seconds"
    #expect(
      message(sample(token, 120, ("name", "shop")))
        == "the API token shop expires in 2 minutes")
    #expect(message(sample(token, -9, ("name", "shop"))) == "the API token shop has expired")
    #expect(
      message(sample("parley_webhook_oldest_event_seconds", 3_700))
        == "webhook events wait: the oldest for 1 hour")
    #expect(
      message(sample("process_open_fds", 900), sample("process_max_fds", 1_000))
        == "900 of 1000 descriptors are open")
    #expect(
      message(sample("parley_audit_lines_total", 3, ("outcome", "lost")))
        == "3 lines of the audit log were lost since the start")
  }

  @Test("a key set that is overdue is a problem, and one without keys another")
  func keySets() {
    let found = ProblemFinder([
      sample("parley_jwks_overdue_seconds", 7_300, ("issuer", "https://a")),
      sample("parley_jwks_keys", 2, ("issuer", "https://a")),
      sample("parley_jwks_overdue_seconds", 31, ("issuer", "https://b")),
      sample("parley_jwks_keys", 0, ("issuer", "https://b")),
    ]).problems
    #expect(
      found.map(\.message) == [
        "the keys of https://a were to be fetched again 2 hours ago",
        "there are no keys of https://b: its tokens are refused",
      ])
  }

  @Test("two tokens that expire are two problems")
  func severalTokens() {
    let token = "parley_api_token_expiry_seconds"
    #expect(
      kinds(
        sample(token, 1, ("name", "a")), sample(token, 2, ("name", "b")),
        sample(token, 1e9, ("name", "c"))) == ["api_token", "api_token"])
  }
}
