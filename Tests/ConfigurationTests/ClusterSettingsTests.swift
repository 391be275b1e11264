import Basics
import Testing

@testable import Configuration

@Suite("Cluster settings")
struct ClusterSettingsTests {
  private static let shared = [
    "--store-url=postgresql://parley:hush@db.internal/parley", "--auth-api-token=token",
    "--files-public-url=https://chat.example.com", "--files-store=directory:/srv/files",
  ]

  @Test("a single server uses SQLite and needs no cluster settings")
  func alone() throws {
    let settings = try load()
    #expect(settings.store.engine == .sqlite)
    #expect(settings.cluster.bus == nil)
    #expect(try load(["--store-url=postgres:///parley"]).store.engine == .postgreSQL)
  }

  @Test("setting a bus makes a cluster, which requires the settings shared by all servers")
  func shared() throws {
    #expect(
      problems(["--cluster-bus=postgresql"]) == [
        "store.url: expected the URL of the PostgreSQL database of all servers, because"
          + " cluster.bus is set (combination of settings)",
        "auth.api_token: expected the token of all servers, because cluster.bus is set"
          + " (combination of settings)",
        "files.public_url: expected the base URL of all servers, because cluster.bus is set"
          + " (combination of settings)",
        "files.store: expected a directory that all servers mount (directory:/path), or a bucket"
          + " (s3://name), because cluster.bus is set (combination of settings)",
      ])
    let settings = try load(Self.shared + ["--cluster-bus", "postgresql"])
    #expect(settings.cluster.bus == .postgreSQL)
    #expect(settings.cluster.bus?.kind == "postgresql")
  }

  @Test("every source can provide the settings, including lists")
  func sources() throws {
    let file = """
      store: {url: "postgresql:///parley?host=/run/postgresql", readers: 9}
      auth.api_token: token
      files: {public_url: "https://chat.example.com", store: "directory:/srv/files"}
      cluster:
        bus: [redis://a, "rediss://:pass@b:6380"]
        name: chat_2
        secret: sixteen bytes it
        beat_ms: 200
        server_timeout_ms: 900
        call_timeout_ms: 5000
        isolation_ms: 2500
      """
    let settings = try load(file: file)
    #expect(settings.store.readers == 9)
    let cluster = settings.cluster
    guard case .redis(let addresses) = cluster.bus else { throw FileFailure(reason: "no Redis") }
    #expect(addresses.map(\.description) == ["redis://a:6379", "rediss://b:6380"])
    #expect(cluster.name == "chat_2" && cluster.secret == Secret("sixteen bytes it"))
    #expect(cluster.beatMilliseconds == 200 && cluster.serverTimeoutMilliseconds == 900)
    #expect(cluster.callTimeoutMilliseconds == 5000 && cluster.isolationMilliseconds == 2500)
    let variables = ["PARLEY_CLUSTER_BUS": "redis://a,redis://b", "PARLEY_CLUSTER_NAME": "other"]
    let replaced = try load(environment: variables, file: file)
    guard case .redis(let others) = replaced.cluster.bus else { throw FileFailure(reason: "none") }
    #expect(others.count == 2 && replaced.cluster.name == "other")
    #expect(try load(["--cluster-bus="], file: file).cluster.bus == nil)
  }

  @Test(
    "a bus is PostgreSQL alone, or distinct Redis servers",
    arguments: [
      "nats://a", "postgresql,redis://a", "redis://a,postgresql", "redis://a,redis://a:6379",
      "redis://", "redis://a:0", "redis://a/x", "redis://a?sslrootcert=x", "rediss://a?x=y",
      "redis://user@:6379", "redis://user@a", "redis://u:%f@a", "REDIS://a", "redis://a#b",
    ])
  func buses(text: String) {
    let found = problems(Self.shared + ["--cluster-bus=" + text])
    #expect(found.count == 1)
    #expect(found.first?.hasPrefix("cluster.bus: expected") == true)
    #expect(found.first?.contains("got") == false, "it may hold a password")
  }

  @Test("a Redis URL has a host and a port, and its password is never shown")
  func redis() throws {
    let text = "rediss://chat:p%40ss:w@Redis1.internal:7000/0?sslrootcert=/etc/ca.pem"
    let whole = try #require(RedisURL(text))
    #expect(whole.endpoint == Endpoint("redis1.internal:7000"))
    #expect(whole.usesTLS && whole.text == Secret(text))
    #expect("\(whole)" == "rediss://redis1.internal:7000")
    let bare = try #require(RedisURL("redis://[::1]"))
    #expect(bare.endpoint == Endpoint("[::1]:6379") && bare.isLoopback && !bare.usesTLS)
    #expect(RedisURL("redis://:secret@a")?.endpoint == Endpoint("a:6379"))
    var shown = ""
    dump(whole, to: &shown)
    #expect(!shown.contains("p@ss") && !shown.contains("p%40ss"))
  }

  @Test("a PostgreSQL URL names a database, and is never shown")
  func storeURL() throws {
    for text in [
      "postgresql://db/parley",
      "postgres://u:p@a:5432,b:5433/parley?target_session_attrs=read-write",
      "postgresql:///parley?host=/run/postgresql", "postgresql://?dbname=parley",
    ] {
      #expect(StoreURLText.read(text) == text)
    }
    for text in ["", "db/parley", "mysql://a/b", "postgresql://a", "postgresql://a/ b"] {
      #expect(StoreURLText.read(text) == nil, "\(text)")
    }
    let found = problems(["--store-url=mysql://user:hush@a/b"])
    #expect(found.count == 1 && found.first?.contains("hush") == false)
    let settings = try load(Self.shared)
    var shown = ""
    dump(settings, to: &shown)
    #expect(!shown.contains("hush") && !"\(settings)".contains("hush"))
  }

  @Test("names, secrets and times are bounded")
  func bounds() {
    for word in [
      "--cluster-name=Chat", "--cluster-name=a.b", "--cluster-server-name=chat one",
      "--cluster-name=" + String(repeating: "a", count: 33),
      "--cluster-secret=fifteen bytes !", "--cluster-beat-ms=49", "--cluster-isolation-ms=0",
      "--store-readers=1", "--store-readers=257", "--cluster-call-timeout-ms=1",
    ] {
      #expect(problems([word]).count == 1, "\(word)")
    }
    let late = ["--cluster-beat-ms=500", "--cluster-server-timeout-ms=999"]
    #expect(problems(late).isEmpty, "without a cluster they have no effect")
    #expect(
      problems(Self.shared + ["--cluster-bus=redis://a"] + late) == [
        "cluster.server_timeout_ms: expected at least twice cluster.beat_ms: one late beat is no"
          + " death (combination of settings)"
      ])
  }

  @Test("a bus that others could write to is reported, unless messages are signed")
  func forgeable() throws {
    func bus(_ words: String...) throws -> String? {
      try load(Self.shared + words).cluster.forgeableBus
    }
    #expect(try bus("--cluster-bus=redis://:p@a") == "redis://a:6379")
    #expect(try bus("--cluster-bus=rediss://a,redis://127.0.0.1") == nil)
    #expect(try bus("--cluster-bus=redis://a", "--cluster-secret=sixteen bytes it") == nil)
    #expect(try bus("--cluster-bus=postgresql") == nil)
  }
}
