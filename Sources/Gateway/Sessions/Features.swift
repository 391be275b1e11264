import Configuration
import ParleyProtocol
import Uploads

extension Settings {
  /// Writes the members of `features`: what this server can do, without what is off.
  func encodeFeatures(into writer: inout JSONWriter) {
    guard limits.fileBytes > 0 else { return }
    writer.member(
      "files",
      object: {
        $0.member("max_bytes", limits.fileBytes)
        $0.member("tus", TusFields.version)
      })
  }
}
