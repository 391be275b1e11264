import Configuration
import FloodControl
import ParleyProtocol

extension Session.Identity {
  /// The result of `session.open`.
  func opened(_ settings: Settings) -> [UInt8] {
    let limits = settings.limits
    return JSONWriter.bytes {
      $0.object {
        $0.member("session_id", id)
        $0.name("user")
        user.encode(into: &$0)
        $0.member(
          "server",
          object: {
            $0.member("name", Release.name)
            $0.member("version", Release.version)
          })
        $0.member(
          "limits",
          object: {
            $0.member("message_bytes", limits.messageBytes)
            $0.member(
              "flood",
              object: {
                $0.member("messages", limits.flood.limit.count)
                $0.member("window_ms", limits.flood.limit.windowMilliseconds)
              })
          })
        $0.member("ping_interval_ms", limits.pingIntervalMilliseconds)
      }
    }
  }
}
