import Configuration
import ParleyProtocol
import Uploads

extension Settings {
  /// Writes the members of `features`: what this server can do, without what is off.
  func encodeFeatures(into writer: inout JSONWriter) {
    if limits.fileBytes > 0 {
      writer.member(
        "files",
        object: {
          $0.member("max_bytes", limits.fileBytes)
          $0.member("tus", TusFields.version)
        })
    }
    if unfurl.mode != .off { writer.member("previews", true) }
  }
}
