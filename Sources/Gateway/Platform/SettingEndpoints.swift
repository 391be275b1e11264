import Configuration
import ParleyProtocol

/// The settings that the server runs with, below `/v3/parley/settings`.
enum SettingEndpoints {
  /// `GET`: all settings, without the values of secrets.
  static func list(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let listing = SettingsListing(call.services.settings, of: .gateway)
    completion { writer in
      writer.object {
        $0.member("settings", array: { for entry in listing.entries { entry.encode(into: &$0) } })
      }
    }
  }
}

extension SettingsListing.Entry {
  fileprivate func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("name", name)
      $0.member("value", values.joined(separator: ","))
      $0.member("is_set", !values.isEmpty)
      $0.member("is_secret", isSecret)
      $0.member("help", help)
    }
  }
}
