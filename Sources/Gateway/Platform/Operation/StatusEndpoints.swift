import Configuration
import Logging
import ParleyProtocol
import Reactor
import Telemetry

/// How the process is doing, below `/v3/parley`.
extension PlatformCall {
  /// `GET …/status`.
  func viewStatus() throws(ServiceError) -> Work {
    let services = node.services
    return { reply in reply(.success(services.encodedStatus())) }
  }

  /// `POST …/drain`: the same as SIGTERM; again it changes nothing.
  func drain() throws(ServiceError) -> Work {
    let services = node.services
    return { [services] reply in
      if services.stage == .serving {
        services.logger.notice("draining", metadata: ["reason": "requested by the Platform API"])
      }
      services.drain()
      reply(Result<Void, ServiceError>.success(()).encodedEmpty)
    }
  }
}

extension GatewayServices {
  fileprivate func encodedStatus() -> [UInt8] {
    JSONWriter.bytes { writer in
      writer.object {
        $0.member("version", Release.version)
        $0.member("uptime_ms", SystemClock.monotonicMilliseconds - startedAt)
        $0.member("is_ready", unreadiness == nil)
        $0.member("reason", unreadiness ?? "")
        $0.member("connections", total(.connections))
        $0.member("sessions", total(.sessions))
        $0.member("channels", total(.channels))
        $0.member("participants", total(.participants))
      }
    }
  }

  private func total(_ gauge: GatewayGauge) -> Int64 {
    metrics.gauges.reduce(0) { $0 + Int64($1.value(of: gauge)) }
  }
}
