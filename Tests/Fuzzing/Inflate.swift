import HTTP

/// Inflates any bytes, and deflates and inflates them again.
enum InflateHarness: Harness {
  static func run(_ input: [UInt8]) {
    let bytes = input
    let workspace = DeflateWorkspace()
    var inflated: [UInt8] = []
    do throws(WebSocketError) {
      try workspace.decompress(bytes.span, limit: 50_000, into: &inflated)
    } catch {
      precondition(error == .invalidCompression || error == .messageTooLarge(limit: 50_000))
    }
    precondition(inflated.count <= 50_000)

    let windowBits = 9 + bytes.count % 7
    var (compressed, result): ([UInt8], [UInt8]) = ([], [])
    precondition(workspace.compress(bytes.span, windowBits: windowBits, into: &compressed))
    do throws(WebSocketError) {
      try workspace.decompress(compressed.span, limit: bytes.count, into: &result)
    } catch {
      preconditionFailure("what was deflated cannot be inflated: \(error)")
    }
    precondition(result == bytes)
  }
}
