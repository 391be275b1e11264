internal import ParleyProtocol

/// The plain text of a Web Push message, which a service worker shows.
package enum WebPayload {
  /// Push services refuse more than 4,096 bytes of ciphertext, and some less.
  package static let byteLimit = 3_000

  package static func message(_ notification: PushNotification) -> [UInt8] {
    notification.payload(within: byteLimit) { notification in
      JSONWriter.bytes(reserving: byteLimit) {
        $0.object {
          notification.encodeReference(into: &$0)
          notification.encodeTexts(into: &$0)
        }
      }
    }
  }
}
