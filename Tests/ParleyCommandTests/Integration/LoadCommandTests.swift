import Foundation
import ParleyProtocol
import TestPeers
import TestSupport
import Testing

extension CommandTests {
  @Suite("generates load for a gateway")
  struct LoadCommandTests {
    private static let short = ["--duration", "2s", "--warm-up", "200ms", "--json"]
    private static let unlimited = [
      "--unfurl-mode", "off", "--limits-flood-messages", "0",
      "--limits-user-flood-messages", "0", "--limits-throttle-messages", "0",
    ]

    /// Runs a scenario, and checks that all it expected came once and in order.
    private func load(
      _ server: ServerProcess, _ scenario: String, _ options: [String]
    ) throws -> JSONNode {
      let outcome = try server.run(["load", scenario] + Self.short + options)
      #expect(outcome.status == 0, "\(outcome.output)\n\(outcome.errors)")
      let report = try outcome.json
      #expect(report["counts"]?["errors"]?.integer == 0, "\(outcome.output)")
      #expect((report["check"]?["expected"]?.integer ?? 0) > 0)
      #expect(report["check"]?["expected"]?.integer == report["check"]?["delivered"]?.integer)
      #expect(report["ending"]?.string == "complete")
      return report
    }

    @Test("fan-out: every subscriber gets every message, and the server's usage is reported")
    func fanout() throws {
      let server = try ServerProcess(Self.unlimited)
      let report = try load(
        server, "fanout",
        [
          "--subscribers", "40", "--rate", "50", "--throttle", "off", "--threads", "2",
          "--server-pid", "\(server.process.id)",
        ])
      let sent = report["counts"]?["sent"]?.integer ?? 0
      #expect(report["counts"]?["deliveries"]?.integer == 40 * sent)
      #expect((report["usage"]?["server_cpu_ns"]?.integer ?? 0) > 0)
      #expect((report["latency_ns"]?["delivery"]?["count"]?.integer ?? 0) > 0)
    }

    @Test("fan-out at the rate of the responses, with usage from the metrics, over compression")
    func window() throws {
      let server = try ServerProcess(Self.unlimited)
      let report = try load(
        server, "fanout",
        [
          "--subscribers", "5", "--in-flight", "4", "--throttle", "off", "--compression",
          "--metrics", "http://127.0.0.1:\(server.port)/metrics",
        ])
      #expect((report["usage"]?["server_memory_before"]?.integer ?? 0) > 0)
    }

    @Test("fan-out under the throttle: messages are withheld according to the rule")
    func throttled() throws {
      let server = try ServerProcess(CommandTests.quiet)
      let report = try load(
        server, "fanout", ["--subscribers", "10", "--senders", "10", "--rate", "30"])
      #expect((report["check"]?["withheld"]?.integer ?? 0) > 0)
    }

    @Test("a throttle rule that differs from the gateway's is detected, and the exit status is 1")
    func wrongRule() throws {
      let server = try ServerProcess(Self.unlimited)
      let outcome = try server.run(
        ["load", "fanout", "--subscribers", "3", "--rate", "50"] + Self.short)
      #expect(outcome.status == 1)
      #expect((try outcome.json["check"]?["uncalled_for"]?.integer ?? 0) > 0)
    }

    @Test("chatter: links to its own pages become previews")
    func chatter() throws {
      let server = try ServerProcess([
        "--unfurl-allow-addresses", "127.0.0.0/8", "--unfurl-allow-ports", "1-65535",
      ])
      let report = try load(
        server, "chatter",
        ["--channels", "6", "--users", "5", "--talkers", "3", "--rate", "1", "--links", "0.5"])
      #expect((report["counts"]?["updates"]?.integer ?? 0) > 0)
    }

    @Test("spike: all clients are admitted, and receive all messages from then on")
    func spike() throws {
      let server = try ServerProcess(CommandTests.quiet)
      let report = try load(
        server, "spike",
        ["--connections", "60", "--over", "1s", "--channels", "3", "--rate", "4"])
      #expect((report["latency_ns"]?["connect"]?["count"]?.integer ?? 0) >= 60)
      #expect(report["counts"]?["connected"]?.integer == 63)
    }

    @Test("storm: all clients reconnect and recover the missed events")
    func storm() throws {
      let server = try ServerProcess(CommandTests.quiet)
      let report = try load(
        server, "storm", ["--connections", "60", "--channels", "3", "--rate", "4"])
      #expect(report["latency_ns"]?["recovery"]?["count"]?.integer == 60)
      #expect(report["counts"]?["gaps"]?.integer == 0)
    }

    @Test("flood: abusers are refused, and the other clients are measured before and during it")
    func flood() throws {
      let server = try ServerProcess(["--unfurl-mode", "off"])
      let report = try load(
        server, "flood",
        [
          "--channels", "4", "--users", "5", "--talkers", "1", "--rate", "4", "--abusers", "4",
          "--abuse", "60",
        ])
      #expect((report["counts"]?["refused_flood"]?.integer ?? 0) > 0)
      #expect((report["latency_ns"]?["baseline"]?["count"]?.integer ?? 0) > 0)
      #expect((report["latency_ns"]?["delivery"]?["count"]?.integer ?? 0) > 0)
    }

    @Test("slow: slow readers are disconnected, and the other clients miss nothing")
    func slow() throws {
      let server = try ServerProcess(Self.unlimited + ["--limits-outbound-bytes", "1048576"])
      // More than the kernel takes in for a connection, which is 4 MiB.
      let report = try load(
        server, "slow",
        [
          "--subscribers", "10", "--share", "0.2", "--rate", "250", "--bytes", "4000",
          "--duration", "\(Int(8_000 * Deadline.patience))ms", "--throttle", "off",
        ])
      #expect(report["counts"]?["slow_closed"]?.integer == 2)
    }

    @Test("soak: disconnected clients reconnect, and nothing is missed")
    func soak() throws {
      let server = try ServerProcess(CommandTests.quiet)
      let report = try load(
        server, "soak",
        [
          "--channels", "4", "--users", "5", "--talkers", "1", "--rate", "2", "--cut-every",
          "20ms",
        ])
      #expect((report["counts"]?["cut_connections"]?.integer ?? 0) > 0)
    }

    @Test("a missed objective exits with status 1, and still writes the report's files")
    func objectives() throws {
      let server = try ServerProcess(Self.unlimited)
      let folder = try TemporaryDirectory()
      let path = folder.path(of: "report")
      let outcome = try server.run([
        "load", "fanout", "--subscribers", "3", "--duration", "1s", "--warm-up", "0s",
        "--throttle", "off", "--report", path, "--require", "p99<1ns", "--require", "lost=0",
      ])
      #expect(outcome.status == 1)
      #expect(outcome.output.contains("MISSED p99<1ns"))
      #expect(outcome.output.contains("met    lost=0"))
      let page = try String(contentsOfFile: path + "/report.html", encoding: .utf8)
      #expect(page.contains("<svg") && page.contains("Failed: "))
      for forbidden in ["src=", "href=", "url(", "@import", "<link", "<script"] {
        #expect(!page.contains(forbidden), "\(forbidden)")
      }
      #expect(FileManager.default.fileExists(atPath: path + "/report.json"))
      #expect(FileManager.default.fileExists(atPath: path + "/report.txt"))
    }

    @Test("a report names its source, and two reports are compared")
    func comparison() throws {
      let server = try ServerProcess(Self.unlimited)
      let folder = try TemporaryDirectory()
      let paths = ["a", "b"].map { folder.path(of: $0) }
      for path in paths {
        let outcome = try server.run([
          "load", "fanout", "--subscribers", "3", "--rate", "100", "--duration", "1s",
          "--warm-up", "200ms", "--throttle", "off", "--report", path,
        ])
        #expect(outcome.status == 0, "\(outcome.errors)")
      }
      let text = try String(contentsOfFile: paths[0] + "/report.json", encoding: .utf8)
      let origin = try #require(try JSONDocument(text).root["origin"])
      for name in ["date", "host", "kernel", "gateway", "generator", "target", "command"] {
        #expect(origin[name]?.string?.isEmpty == false, "\(name)")
      }
      #expect(origin["gateway"]?.string?.contains("arley") == true)
      #expect(origin["command"]?.string?.contains("load fanout --subscribers 3") == true)

      let page = folder.path(of: "comparison.html")
      let outcome = try server.run([
        "load", "compare", paths[0], paths[1] + "/report.json", "--html", page,
      ])
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.output.contains("Delivery, p50") && outcome.output.contains("× "))
      #expect(try String(contentsOfFile: page, encoding: .utf8).contains("B / A"))
      let missing = try server.run(["load", "compare", paths[0], folder.path(of: "c")])
      #expect(missing.status == 64 && missing.errors.contains("report.json is expected"))
      let other = try server.run(["load", "compare", paths[0], paths[1] + "/report.html"])
      #expect(other.status == 64 && other.errors.contains("is not a report of parley load"))
    }

    @Test("--clean-up leaves no channels and no users, also after a failed run")
    func cleaning() throws {
      let server = try ServerProcess(CommandTests.quiet)
      _ = try server.run(["user", "create", "ada"])
      let outcome = try server.run(
        ["load", "storm", "--connections", "6", "--channels", "2", "--rate", "4", "--clean-up"]
          + Self.short)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.errors.contains("Deleted 2 channels and 8 users of the run."))
      let failed = try server.run(
        ["load", "fanout", "--subscribers", "2", "--require", "p99<1ns", "--clean-up"] + Self.short)
      #expect(failed.status == 1)
      #expect(failed.errors.contains("Deleted 1 channel and 3 users of the run."))
      let rest = try server.run(["user", "list"])
      #expect(rest.output.contains("ada") && !rest.output.contains("load-"))
      #expect(!(try server.run(["channel", "list"]).output.contains("load-")))

      let closed = try ServerProcess(CommandTests.quiet + ["--auth-mode", "token"])
      let refused = try closed.run(
        ["load", "fanout", "--subscribers", "2", "--clean-up"] + Self.short)
      #expect(refused.status == 2 && refused.errors.contains("could not be made"))
      #expect(refused.errors.contains("Deleted 0 channels and 0 users of the run."))
    }

    @Test("tokens are issued where the gateway requires them")
    func tokens() throws {
      let server = try ServerProcess(CommandTests.quiet + ["--auth-mode", "token"])
      _ = try load(server, "fanout", ["--subscribers", "3", "--issue-tokens"])
      let refused = try server.run(["load", "fanout", "--subscribers", "3"] + Self.short)
      #expect(refused.status == 2)
      #expect(refused.errors.contains("could not be made"))
      #expect(refused.errors.contains("--issue-tokens creates"))
    }

    @Test("users get tokens, and are deleted, at the rate that the gateway allows")
    func rateOfCalls() throws {
      let server = try ServerProcess(
        CommandTests.quiet + [
          "--auth-mode", "token", "--limits-platform-calls-per-second", "20",
          "--limits-platform-calls-burst", "20",
        ])
      let outcome = try server.run(
        ["load", "fanout", "--subscribers", "30", "--issue-tokens", "--clean-up"] + Self.short)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.errors.contains("Deleted 1 channel and 31 users of the run."))
    }

    @Test("impossible options are refused before the run begins")
    func misuse() throws {
      let server = try ServerProcess(CommandTests.quiet)
      for options in [
        ["--require", "p99<fast"], ["--require", "speed<1"], ["--subscribers", "0"],
        ["--duration", "soon"], ["--rate", "-1"], ["--source-address", "here"],
        ["--server-pid", "1", "--metrics", "http://x"], ["--server-pid", "2147483647"],
      ] {
        #expect(try server.run(["load", "fanout"] + options).status == 64, "\(options)")
      }
      let many = try server.run(["load", "fanout", "--subscribers", "1000000"])
      #expect(many.status == 2)
      #expect(many.errors.contains("descriptors"))
    }
  }
}
