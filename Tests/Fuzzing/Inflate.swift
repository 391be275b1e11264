import WebSocket

/// Inflates any bytes, and deflates and inflates them again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzInflate(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let workspace = DeflateWorkspace()
  var inflated: [UInt8] = []
  do throws(WebSocketError) {
    try workspace.decompress(bytes.span, limit: 50_000, into: &inflated)
  } catch {
    precondition(error == .invalidCompression || error == .messageTooLarge(limit: 50_000))
  }
  precondition(inflated.count <= 50_000)

  let windowBits = 9 + count % 7
  var (compressed, result): ([UInt8], [UInt8]) = ([], [])
  precondition(workspace.compress(bytes.span, windowBits: windowBits, into: &compressed))
  do throws(WebSocketError) {
    try workspace.decompress(compressed.span, limit: count, into: &result)
  } catch {
    preconditionFailure("what was deflated cannot be inflated: \(error)")
  }
  precondition(result == bytes)
  return 0
}
