internal import ParleyProtocol

/// The features of a server; disabled features are `nil`.
public struct ServerFeatures: Sendable, Hashable, Codable {
  /// Uploads of files.
  public struct Files: Sendable, Hashable, Codable {
    /// The largest file that the server accepts, in bytes.
    public let maxBytes: Int64
    /// The base URL of all files; `nil` if each upload has its own.
    ///
    /// Keys are added only to URLs of the connected server and below this base.
    public let base: String?

    /// Creates a value, for tests of an application.
    public init(maxBytes: Int64, base: String? = nil) {
      self.maxBytes = maxBytes
      self.base = base
    }
  }

  /// Thumbnails of uploaded images and videos.
  public struct Thumbnails: Sendable, Hashable, Codable {
    /// The maximum number of sizes of one file.
    public let maxSizes: Int
    /// The media types of which thumbnails are made, such as `image/*`.
    public let types: [String]

    /// Creates a value, for tests of an application.
    public init(maxSizes: Int, types: [String]) {
      self.maxSizes = maxSizes
      self.types = types
    }
  }

  /// Translations of messages.
  public struct Translation: Sendable, Hashable, Codable {
    /// The tags of the languages that the server translates into; empty until the server knows them.
    public let languages: [String]
    /// The maximum number of languages of one message.
    public let maxLanguagesPerMessage: Int

    /// Creates a value, for tests of an application.
    public init(languages: [String], maxLanguagesPerMessage: Int) {
      self.languages = languages
      self.maxLanguagesPerMessage = maxLanguagesPerMessage
    }
  }

  /// Group channels.
  public struct Groups: Sendable, Hashable, Codable {
    /// The maximum number of members of a group, joined and invited.
    public let maxMembers: Int
    /// The maximum number of members of a super group.
    public let maxSuperMembers: Int
    /// The number of members of the largest group with read receipts; 0 if there are none.
    public let maxReceiptMembers: Int
    /// Whether groups with read receipts also have delivery receipts.
    public let hasDeliveryReceipts: Bool

    /// Creates a value, for tests of an application.
    public init(
      maxMembers: Int, maxSuperMembers: Int = 0, maxReceiptMembers: Int = 0,
      hasDeliveryReceipts: Bool = false
    ) {
      self.maxMembers = maxMembers
      self.maxSuperMembers = maxSuperMembers
      self.maxReceiptMembers = maxReceiptMembers
      self.hasDeliveryReceipts = hasDeliveryReceipts
    }
  }

  /// Pushes to devices of users without a session.
  public struct Push: Sendable, Hashable, Codable {
    /// The types of tokens that can be registered; unknown types are left out.
    public let types: [PushTokenType]
    /// The key that browsers subscribe with, in base64url; `nil` without Web Push.
    public let webKey: String?

    /// Creates a value, for tests of an application.
    public init(types: [PushTokenType], webKey: String? = nil) {
      self.types = types
      self.webKey = webKey
    }
  }

  /// Uploads; `nil` if files can only be sent by URL.
  public let files: Files?
  /// Thumbnails; `nil` if the server makes none.
  public let thumbnails: Thumbnails?
  /// Translations; `nil` if the server does not translate.
  public let translation: Translation?
  /// Groups; `nil` if the server has none.
  public let groups: Groups?
  /// Pushes; `nil` if the server sends none.
  public let push: Push?
  /// Whether the server fetches link previews, for messages and for a ``MetadataProvider``.
  public let hasPreviews: Bool
  /// Whether the server searches messages, as a ``MessageSearchQuery`` needs.
  public let hasSearch: Bool

  /// Creates a value, for tests of an application.
  public init(
    files: Files? = nil, thumbnails: Thumbnails? = nil, translation: Translation? = nil,
    groups: Groups? = nil, push: Push? = nil, hasPreviews: Bool = false,
    hasSearch: Bool = false
  ) {
    self.files = files
    self.thumbnails = thumbnails
    self.translation = translation
    self.groups = groups
    self.push = push
    self.hasPreviews = hasPreviews
    self.hasSearch = hasSearch
  }
}

extension ServerFeatures {
  /// Parses the member `features` of the result of `session.open`.
  ///
  /// Unknown features, and features in an unknown form, are ignored.
  init(result: JSONNode) {
    let features = result.present("features")
    self.init(
      files: features?.present("files").flatMap(Files.init(json:)),
      thumbnails: features?.present("thumbnails").flatMap(Thumbnails.init(json:)),
      translation: features?.present("translation").flatMap(Translation.init(json:)),
      groups: features?.present("groups").flatMap(Groups.init(json:)),
      push: features?.present("push").flatMap(Push.init(json:)),
      hasPreviews: features?["previews"]?.bool ?? false,
      hasSearch: features?["search"]?.bool ?? false)
  }
}

extension ServerFeatures.Files {
  init?(json: JSONNode) {
    guard let maxBytes = json["max_bytes"]?.integer else { return nil }
    self.init(maxBytes: maxBytes, base: json["base"]?.string)
  }
}

extension ServerFeatures.Thumbnails {
  init?(json: JSONNode) {
    guard let count = json["sizes"]?.integer, let types = json["types"]?.strings else { return nil }
    self.init(maxSizes: Int(clamping: count), types: types)
  }
}

extension ServerFeatures.Translation {
  init?(json: JSONNode) {
    guard let languages = json["languages"]?.strings, let count = json["per_message"]?.integer
    else { return nil }
    self.init(languages: languages, maxLanguagesPerMessage: Int(clamping: count))
  }
}

extension ServerFeatures.Groups {
  init?(json: JSONNode) {
    guard let count = json["max_members"]?.integer else { return nil }
    self.init(
      maxMembers: Int(clamping: count),
      maxSuperMembers: Int(clamping: json["max_super_members"]?.integer ?? 0),
      maxReceiptMembers: Int(clamping: json["receipts"]?.integer ?? 0),
      hasDeliveryReceipts: json["delivery"]?.bool ?? false)
  }
}

extension ServerFeatures.Push {
  init?(json: JSONNode) {
    guard let types = json["types"]?.strings else { return nil }
    self.init(types: types.compactMap(PushTokenType.init), webKey: json["web_key"]?.string)
  }
}

extension JSONNode {
  /// The texts of a list; `nil` if the node is not one.
  fileprivate var strings: [String]? {
    guard kind == .array else { return nil }
    return elements.compactMap(\.string)
  }
}
