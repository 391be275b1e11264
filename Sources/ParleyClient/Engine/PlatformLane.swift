internal import ClientTransport
#if os(Linux)
  internal import ClientSockets
#else
  internal import ClientFoundation
#endif

/// The lane of the platform: sockets on Linux, `URLSession` on Apple's platforms.
enum PlatformLane {
  /// Returns the lane that all clients of the process share.
  static func shared() throws(ParleyError) -> any Lane {
    #if os(Linux)
      do throws(ConnectionFailure) {
        return try ClientLoop.sharedLane()
      } catch {
        throw .connectionFailed(error.reason)
      }
    #else
      return FoundationLane.shared
    #endif
  }
}
