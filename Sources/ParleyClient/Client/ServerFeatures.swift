internal import ParleyProtocol

/// The features of a server; those that it has switched off are missing.
public struct ServerFeatures: Sendable, Hashable, Codable {
  /// Uploads of files.
  public struct Files: Sendable, Hashable, Codable {
    /// The largest file that the server takes, in bytes.
    public let maxBytes: Int64
    /// The base of the addresses of all files; `nil` where each upload names its own.
    ///
    /// Keys are added to addresses of the connected server and of this base alone.
    public let base: String?

    /// Makes the value, for tests of an application.
    public init(maxBytes: Int64, base: String? = nil) {
      self.maxBytes = maxBytes
      self.base = base
    }
  }

  /// Thumbnails of uploaded pictures and films.
  public struct Thumbnails: Sendable, Hashable, Codable {
    /// The most sizes of one file.
    public let maxSizes: Int
    /// The media types of which thumbnails are made, such as `image/*`.
    public let types: [String]

    /// Makes the value, for tests of an application.
    public init(maxSizes: Int, types: [String]) {
      self.maxSizes = maxSizes
      self.types = types
    }
  }

  /// Translations of messages.
  public struct Translation: Sendable, Hashable, Codable {
    /// The tags of the languages into which the server translates; empty while it does not know.
    public let languages: [String]
    /// The most languages of one message.
    public let maxLanguagesPerMessage: Int

    /// Makes the value, for tests of an application.
    public init(languages: [String], maxLanguagesPerMessage: Int) {
      self.languages = languages
      self.maxLanguagesPerMessage = maxLanguagesPerMessage
    }
  }

  /// Uploads; `nil` where files can only be sent by their URL.
  public let files: Files?
  /// Thumbnails; `nil` where the server makes none.
  public let thumbnails: Thumbnails?
  /// Translations; `nil` where the server does not translate.
  public let translation: Translation?
  /// Whether the server looks links up, for messages and for a ``MetadataProvider``.
  public let hasPreviews: Bool

  /// Makes the value, for tests of an application.
  public init(
    files: Files? = nil, thumbnails: Thumbnails? = nil, translation: Translation? = nil,
    hasPreviews: Bool = false
  ) {
    self.files = files
    self.thumbnails = thumbnails
    self.translation = translation
    self.hasPreviews = hasPreviews
  }
}

extension ServerFeatures {
  /// Reads the member `features` of the result of `session.open`.
  ///
  /// Features that are unknown, or not in the form that this library knows, are passed over.
  init(result: JSONNode) {
    let features = result.present("features")
    self.init(
      files: features?.present("files").flatMap(Files.init(json:)),
      thumbnails: features?.present("thumbnails").flatMap(Thumbnails.init(json:)),
      translation: features?.present("translation").flatMap(Translation.init(json:)),
      hasPreviews: features?["previews"]?.bool ?? false)
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

extension JSONNode {
  /// The texts of a list; `nil` when it is none.
  fileprivate var strings: [String]? {
    guard kind == .array else { return nil }
    return elements.compactMap(\.string)
  }
}
