import Configuration
import Logging
import ParleyProtocol
import Reactor
import Channels
import Telemetry
import Transport

/// The state of the process, below `/v3/parley`.
enum OperationEndpoints {
  /// `GET …/connections`: the number of connections on each reactor.
  static func countConnections(
    _ call: PlatformCall, _ completion: Completion
  ) throws(ServiceError) {
    call.shard.askAll(.connections) { answers in
      var counts: [ConnectionCount] = []
      for case .connections(let some) in answers { counts += some }
      completion { ConnectionCount.encode(counts, into: &$0) }
    }
  }

  /// `GET …/status`.
  static func viewStatus(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    completion { call.services.encodeStatus(into: &$0) }
  }

  /// `POST …/drain`: has the same effect as SIGTERM.
  ///
  /// Repeating the call has no effect.
  static func drain(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    call.services.drainOnRequest(askedBy: call.callerMetadata)
    completion { $0.object { _ in } }
  }
}

extension Shard {
  var connectionCount: ConnectionCount {
    ConnectionCount(
      connections: transport.connectionCount,
      sessions: sessions.all.count(where: { !$0.isObserving }),
      queued: transport.queuedConnectionCount)
  }
}

extension ConnectionCount {
  fileprivate static func encode(_ counts: [ConnectionCount], into writer: inout JSONWriter) {
    writer.object {
      $0.member("connections", counts.reduce(0) { $0 + $1.connections })
      $0.member("sessions", counts.reduce(0) { $0 + $1.sessions })
      $0.member(
        "reactors",
        array: {
          for count in counts {
            $0.object {
              $0.member("connections", count.connections)
              $0.member("sessions", count.sessions)
              $0.member("queued", count.queued)
            }
          }
        })
    }
  }
}

extension GatewayServices {
  fileprivate func encodeStatus(into writer: inout JSONWriter) {
    writer.object {
      $0.member("version", Release.version)
      $0.member("uptime_ms", SystemClock.monotonicMilliseconds - startedAt)
      $0.member("is_ready", unreadiness == nil)
      $0.member("reason", unreadiness ?? "")
      $0.problems(ProblemFinder(allSamples).problems)
      $0.member("connections", total(.connections))
      $0.member("sessions", total(.sessions))
      $0.member("channels", total(.channels))
      $0.member("participants", total(.participants))
      $0.member(
        "thumbnails",
        object: {
          $0.member("is_on", thumbnails.isOn)
          $0.member("walls", thumbnails.report.walls)
          $0.member("missing", thumbnails.report.missing)
        })
    }
  }
}
