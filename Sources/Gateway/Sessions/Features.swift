import Configuration
import ParleyProtocol
import Translator
import Uploads

extension GatewayServices {
  /// Writes the members of `features`: the abilities of this server, without those that are off.
  func encodeFeatures(into writer: inout JSONWriter) {
    let settings = settings
    if settings.limits.fileBytes > 0 {
      writer.member(
        "files",
        object: {
          $0.member("max_bytes", settings.limits.fileBytes)
          $0.member("tus", TusFields.version)
          // Clients add keys only to addresses of this server and of this base.
          $0.member("base", ifKnown: uploads.base)
        })
      if thumbnails.isOn {
        writer.member(
          "thumbnails",
          object: {
            $0.member("sizes", Limits.thumbnailCount)
            $0.member("types", ["image/*", "video/*"])
          })
      }
    }
    if let translator {
      writer.member(
        "translation",
        object: {
          $0.member("languages", translator.languages)
          $0.member("per_message", Limits.languageCount)
        })
    }
    if settings.unfurl.mode != .off { writer.member("previews", true) }
    if searches.isOn { writer.member("search", true) }
    if pushes.isOn { writer.member("push", object: { pushes.encodeFeatures(into: &$0) }) }
    writer.member(
      "groups",
      object: {
        $0.member("max_members", settings.groups.maxMembers)
        $0.member("max_super_members", settings.groups.maxSuperMembers)
        $0.member("receipts", settings.groups.receiptMemberLimit)
        $0.member(
          "delivery",
          settings.groups.hasDeliveryReceipts && settings.groups.receiptMemberLimit > 0)
        $0.member("typing", true)
      })
  }
}
