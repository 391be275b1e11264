import Cluster
import ParleyProtocol

/// The servers of a deployment as one of them sees them, with their dependencies.
struct ClusterStatus: Sendable, Equatable {
  /// One server.
  struct Server: Sendable, Equatable {
    let id: ServerID
    let slot: UInt16
    let name: String
    let version: String
    let state: State
    /// Whether the server receives its own beats over the bus; true without a bus.
    let hearsBus: Bool
    /// Unix milliseconds.
    let startedAt: Int64
    /// Milliseconds since the server's last beat.
    let beatAge: Int64
    /// `nil` for a server that has not reported the number.
    var sessions: Int64?
    /// `nil` for a server that has not ended.
    var end: End?

    /// Returns the same server with a number of sessions, if it is known.
    func counting(_ sessions: Int64?) -> Server {
      guard end == nil else { return self }
      var server = self
      server.sessions = sessions ?? self.sessions
      return server
    }
  }

  /// The end of a server.
  struct End: Sendable, Equatable {
    let ending: ServerEnding
    /// Unix milliseconds.
    let time: Int64
  }

  /// The stage of a server's life.
  enum State: String, Sendable, CaseIterable {
    /// Registered, but not a home yet.
    case joining
    case live
    /// Its channels and users have other homes, and its sessions are leaving.
    case draining
    /// Ended within the last minutes.
    case dead
  }

  /// The carrier of messages between servers.
  struct Bus: Sendable, Equatable {
    /// `redis`, `postgresql`, or `none` on a standalone server.
    let kind: String
    let isUp: Bool
    /// Milliseconds since one of the server's own beats came back over the bus, or since the start
    /// if none has.
    let echoAge: Int64

    /// The bus of a server that needs none.
    static let none = Bus(kind: "none", isUp: true, echoAge: 0)
  }

  /// The database.
  struct Database: Sendable, Equatable {
    /// `sqlite` or `postgresql`.
    let engine: String
    /// The reason why the database accepts no writes; `nil` while it does.
    let problem: String?
  }

  let clusterName: String
  /// The server that produced this status.
  let local: ServerID
  /// All servers in the registry, in the order of their slots.
  let servers: [Server]
  let bus: Bus
  let database: Database
}

extension ClusterStatus {
  /// Writes the status as the Platform API shows it.
  ///
  /// - Parameter home: The server on which a channel is judged, if the request names a channel.
  func encode(home: ServerID?, into writer: inout JSONWriter) {
    writer.object {
      $0.member("name", clusterName)
      $0.member("server_id", "\(local)")
      $0.member("servers", array: { for server in servers { server.encode(into: &$0) } })
      $0.member(
        "bus",
        object: {
          $0.member("kind", bus.kind)
          $0.member("is_up", bus.isUp)
          $0.member("echo_age_ms", bus.echoAge)
        })
      $0.member(
        "store",
        object: {
          $0.member("kind", database.engine)
          $0.member("is_up", database.problem == nil)
          $0.member("reason", database.problem ?? "")
        })
      if let home { $0.member("home", "\(home)") }
    }
  }
}

extension ClusterStatus.Server {
  fileprivate func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("server_id", "\(id)")
      $0.member("slot", Int(slot))
      $0.member("name", name)
      $0.member("version", version)
      $0.member("state", state.rawValue)
      $0.member("hears_bus", hearsBus)
      $0.member("started_at", startedAt)
      $0.member("beat_age_ms", beatAge)
      if let sessions { $0.member("sessions", sessions) }
      if let end {
        $0.member("ended_at", end.time)
        $0.member("ending", end.ending.rawValue)
      }
    }
  }
}
