import HTTP
import ParleyProtocol
import Channels
import Store
import Transport

/// The purpose of a form of the Platform API.
enum FormPurpose {
  /// Sends a message to a channel, with the part `file`.
  case message(channelURL: String, ChannelKind)
  /// Gives a channel or a user a picture.
  case picture(PictureForm)

  /// The name of the part that is a file.
  var fileField: String {
    switch self {
    case .message: "file"
    case .picture(let form): form.holder.fileField
    }
  }

  /// Whether a field is known here; others are ignored, like unknown members of JSON.
  func isKnown(_ name: String) -> Bool {
    switch self {
    case .message: MessageSubmission.fieldNames.contains(name)
    case .picture(let form): form.holder.isKnown(name)
    }
  }
}

/// A call that takes a picture as a part of a form, and its other members as fields.
struct PictureForm {
  /// The owner of the picture.
  enum Holder: Sendable {
    case channel
    case user

    var fileField: String {
      switch self {
      case .channel: "cover_file"
      case .user: "profile_file"
      }
    }

    /// The member that receives the picture's address.
    var addressField: String {
      switch self {
      case .channel: "cover_url"
      case .user: "profile_url"
      }
    }

    func isKnown(_ name: String) -> Bool {
      name == addressField || kind(of: name) != nil
    }

    /// The JSON type of a field.
    private func kind(of name: String) -> FieldKind? {
      switch (self, name) {
      case (.channel, "channel_url"), (.channel, "name"), (.channel, "data"),
        (.channel, "custom_type"), (.channel, "inviter_id"), (.channel, "access_code"),
        (.user, "user_id"), (.user, "nickname"):
        .text
      case (.channel, "operator_ids"), (.channel, "user_ids"), (.channel, "users"),
        (.user, "discovery_keys"), (.user, "preferred_languages"):
        .texts
      case (.channel, "is_ephemeral"), (.channel, "is_distinct"), (.channel, "is_public"),
        (.channel, "is_super"), (.channel, "strict"), (.channel, "block_sdk_user_channel_join"),
        (.user, "is_active"), (.user, "issue_access_token"), (.user, "issue_session_token"),
        (.user, "require_auth_for_profile_image"):
        .boolean
      case (.channel, "message_survival_seconds"): .integer
      case (.channel, "invitation_status"), (.channel, "hidden_status"), (.user, "metadata"):
        .object
      default: nil
      }
    }

    /// Writes a field in its JSON type; a value of another type is left for the call to refuse.
    func write(_ name: String, _ texts: [String], into writer: inout JSONWriter) {
      let last = texts.last ?? ""
      let kind = kind(of: name)
      // As in other forms, an empty field counts as missing, but an empty text is a value.
      guard kind == .text || kind == nil || !last.isEmpty else { return }
      writer.name(escaping: name)
      let node = kind == .texts || kind == .object ? try? JSONDocument(Array(last.utf8)).root : nil
      switch (kind, node?.kind) {
      case (.texts, .array), (.object, .object): writer.value(raw: node?.raw ?? [])
      case (.texts, _):
        writer.array {
          for text in texts.flatMap({ $0.split(separator: ",") }) { $0.value(String(text)) }
        }
      case (.boolean, _) where ["true", "false"].contains(last.lowercased()):
        writer.value(last.lowercased() == "true")
      case (.integer, _):
        if let number = Int64(last) { writer.value(number) } else { writer.value(last) }
      case (.text, _), (.boolean, _), (.object, _), (nil, _): writer.value(last)
      }
    }
  }

  private enum FieldKind {
    case text
    case texts
    case boolean
    case integer
    case object
  }

  let holder: Holder
  /// Carries out the call with a JSON body.
  let proceed: @Sendable (Shard, [UInt8]) -> Void

  /// The body of the call, with the address of the picture if there is one.
  func body(_ form: UploadForm, picture url: String?) throws(ServiceError) -> [UInt8] {
    let fields = try form.texts()
    guard url == nil || fields[holder.addressField] == nil else {
      throw .notCombinable(holder.fileField, "give a file or \(holder.addressField), not both")
    }
    return JSONWriter.bytes {
      $0.object { writer in
        for (name, texts) in fields.sorted(by: { $0.key < $1.key }) {
          holder.write(name, texts, into: &writer)
        }
        guard let url else { return }
        writer.name(escaping: holder.addressField)
        writer.value(url)
      }
    }
  }
}
