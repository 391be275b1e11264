import Cluster
import Configuration
import Logging
import ParleyProtocol
import TestPeers
import TestSupport
import Testing

@testable import Gateway

@Suite("Servers of a deployment", .onOwnThreads)
struct ClusterStatusTests {
  @Test("a single server lists itself, and is the home of every channel")
  func alone() throws {
    let running = try RunningGateway { $0.auth.apiToken = Secret("token") }
    let cluster = try running.call("GET", "/v3/parley/cluster?channel_url=lobby")
    let servers = cluster.body["servers"]?.elements.map(\.self) ?? []
    let server = try #require(servers.first)
    #expect(servers.count == 1 && cluster.status == 200)
    #expect(server["server_id"]?.string == cluster.body["server_id"]?.string)
    #expect(server["state"]?.string == "live" && server["slot"]?.integer == 0)
    #expect(server["version"]?.string == Release.version)
    #expect(server["hears_bus"]?.bool == true && server["beat_age_ms"]?.integer == 0)
    #expect(cluster.body["home"]?.string == cluster.body["server_id"]?.string)
    #expect(cluster.body["bus"]?["kind"]?.string == "none")
    #expect(cluster.body["store"]?["kind"]?.string == "sqlite")
    #expect(cluster.body["store"]?["is_up"]?.bool == true)
    #expect(try running.call("GET", "/v3/parley/cluster").body["home"] == nil)
    let long = String(repeating: "a", count: 101)
    #expect(try running.call("GET", "/v3/parley/cluster?channel_url=" + long).status == 400)
  }

  @Test("every start has a new server ID, and draining by that ID drains the server")
  func drain() throws {
    let running = try RunningGateway { $0.auth.apiToken = Secret("token") }
    let other = try RunningGateway { $0.auth.apiToken = Secret("token") }
    let id = try #require(
      running.call("GET", "/v3/parley/cluster").body["server_id"]?.string)
    let path = "/v3/parley/cluster/servers/\(id)/drain"
    let refused = try other.call("POST", path)
    #expect(refused.body["code"]?.integer == 400_201)
    #expect(try running.call("POST", path).status == 200)
    running.gateway.waitUntilStopped()
    #expect(!running.gateway.startsAgain)
  }

  @Test("status, metrics and readiness cover the cluster if there is one")
  func clustered() throws {
    let cluster = FakeCluster()
    let status = ClusterStatus(
      clusterName: "chat", local: cluster.local, servers: cluster.servers, bus: cluster.bus,
      database: .init(engine: "postgresql", problem: "disk full"))
    let bytes = JSONWriter.bytes {
      status.encode(home: cluster.home(ofChannel: "lobby"), into: &$0)
    }
    #expect(
      String(decoding: bytes, as: UTF8.self) == """
        {"name":"chat","server_id":"0000000000000001","servers":[{"server_id":"0000000000000001",\
        "slot":7,"name":"a","version":"1","state":"live","hears_bus":true,"started_at":1000,\
        "beat_age_ms":3,"sessions":5},{"server_id":"0000000000000002","slot":8,"name":"b",\
        "version":"2","state":"dead","hears_bus":false,"started_at":2000,"beat_age_ms":4000,\
        "ended_at":3000,"ending":"silent"},{"server_id":"0000000000000003","slot":9,"name":"c",\
        "version":"2","state":"dead","hears_bus":false,"started_at":2000,"beat_age_ms":5000,\
        "ended_at":2500,"ending":"left"}],"bus":{"kind":"redis","is_up":false,"echo_age_ms":1500},"store":{\
        "kind":"postgresql","is_up":false,"reason":"disk full"},"home":"0000000000000002"}
        """)
    let metrics = GatewayMetrics(shards: 1).render(with: cluster.samples)
    for line in [
      "parley_cluster_servers{state=\"live\"} 1", "parley_cluster_servers{state=\"dead\"} 1",
      "parley_cluster_servers{state=\"joining\"} 0", "parley_cluster_bus_up 0",
      "parley_cluster_echo_seconds 1.5", "parley_cluster_link_gaps_total 1",
      "parley_cluster_link_refills_total 2", "parley_cluster_link_resets_total 3",
      "parley_cluster_frames_dropped_total{reason=\"forged\"} 4",
      "parley_cluster_frames_dropped_total{reason=\"unreadable\"} 5",
      "parley_cluster_frames_dropped_total{reason=\"foreign\"} 9",
      "parley_cluster_channels_loaded_total 6", "parley_cluster_fenced_writes_total 7",
      "parley_cluster_unknown_outcomes_total 8",
    ] {
      #expect(metrics.contains("\n\(line)\n"), "\(line)")
    }
  }

  @Test("servers whose shared settings differ name these settings, and no secret is shown")
  func agreement() {
    var settings = Settings()
    settings.auth.apiToken = Secret("hush")
    settings.webhooks.urls = ["https://a.example/"]
    let one = ClusterAgreement(settings)
    #expect(one.differences(from: ClusterAgreement(settings)).isEmpty)
    settings.reactors = 7
    settings.listen = []
    settings.dataDirectory = "/srv/elsewhere"
    #expect(one.differences(from: ClusterAgreement(settings)).isEmpty, "each may have its own")
    settings.webhooks.urls.append("https://b.example/")
    settings.auth.apiToken = Secret("other")
    settings.cluster.secret = Secret("hush, hush, hush")
    settings.files.store = .directory("/srv/files")
    let other = ClusterAgreement(settings)
    #expect(
      one.differences(from: other)
        == ["auth.api_token", "cluster.secret", "files.store", "webhooks.urls"])
    settings.limits.customData.metaArrays.keyCount = 11
    settings.limits.channelsPerUser = 11
    #expect(
      other.differences(from: ClusterAgreement(settings))
        == ["limits.channels_per_user", "limits.metaarray.keys"])
    settings.limits = Settings().limits
    settings.files.store = .directory("/mnt/files")
    #expect(other.differences(from: ClusterAgreement(settings)).isEmpty, "a mount of its own")
    #expect(other.differences(from: ClusterAgreement(digests: [:])).isEmpty, "another version")
    #expect(!"\(one)".contains("hush") && !"\(one)".contains("a.example"))
    #expect(one.shown["limits.metaarray.keys"] == "10" && one.shown["auth.mode"] == "open")
    #expect(one.shown.keys.allSatisfy { one.digests[$0] != nil })
  }
}

/// A cluster of three servers, one of which was lost, and one has left.
private final class FakeCluster: ClusterObserver {
  let local = ServerID(rawValue: 1)
  let servers = [
    ClusterStatus.Server(
      id: ServerID(rawValue: 1), slot: 7, name: "a", version: "1", state: .live, hearsBus: true,
      startedAt: 1000, beatAge: 3, sessions: 5),
    ClusterStatus.Server(
      id: ServerID(rawValue: 2), slot: 8, name: "b", version: "2", state: .dead, hearsBus: false,
      startedAt: 2000, beatAge: 4000, sessions: nil,
      end: ClusterStatus.End(ending: .silent, time: 3000)),
    ClusterStatus.Server(
      id: ServerID(rawValue: 3), slot: 9, name: "c", version: "2", state: .dead, hearsBus: false,
      startedAt: 2000, beatAge: 5000, sessions: nil,
      end: ClusterStatus.End(ending: .left, time: 2500)),
  ]
  let bus = ClusterStatus.Bus(kind: "redis", isUp: false, echoAge: 1500)
  let counters = ClusterCounters(
    linkGaps: 1, linkRefills: 2, linkResets: 3, forgedFrames: 4, unreadableFrames: 5,
    foreignFrames: 9, channelLoads: 6, fencedWrites: 7, unknownOutcomes: 8)
  let unreadiness: String? = nil

  func home(ofChannel url: String) -> ServerID { ServerID(rawValue: 2) }
  func drain() {}
}

extension RunningGateway {
  /// Calls the Platform API with the token `token`.
  fileprivate func call(
    _ method: String, _ path: String
  ) throws -> (status: UInt16, body: JSONNode) {
    let answer = try HTTPAnswer(
      method, to: path, fields: [("api-token", "token")], over: StreamSocket(port: port))
    return (answer.status, try JSONDocument(answer.text).root)
  }
}
