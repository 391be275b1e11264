internal import ParleyProtocol

/// The properties of a channel to create.
public final class OpenChannelCreateParams: Sendable {
  private let shared: SharedValues<Values>

  /// The display name, at most 191 characters.
  public var name: String {
    get { shared[\.name] }
    set { shared[\.name] = newValue }
  }

  /// 4 to 100 characters of `[A-Za-z0-9_-]`; if `nil`, the server generates one.
  public var channelURL: String? {
    get { shared[\.channelURL] }
    set { shared[\.channelURL] = newValue }
  }

  /// The address of a picture, at most 2,048 characters.
  public var coverURL: String {
    get { shared[\.coverURL] }
    set { shared[\.coverURL] = newValue }
  }

  /// A picture to upload, used instead of ``coverURL``.
  ///
  /// Anyone with its URL can read it.
  public var coverImage: FileContent? {
    get { shared[\.picture] }
    set { shared[\.picture] = newValue }
  }

  /// Application-defined data, at most 16,384 bytes by default; the server does not interpret it.
  public var data: String {
    get { shared[\.data] }
    set { shared[\.data] = newValue }
  }

  /// The application-defined channel type, at most 128 characters by default.
  public var customType: String {
    get { shared[\.customType] }
    set { shared[\.customType] = newValue }
  }

  /// The operators besides the creator, at most 100.
  public var operatorUserIDs: [String] {
    get { shared[\.operatorUserIDs] }
    set { shared[\.operatorUserIDs] = newValue }
  }

  /// Whether the server does not store its messages.
  public var isEphemeral: Bool {
    get { shared[\.isEphemeral] }
    set { shared[\.isEphemeral] = newValue }
  }

  /// Creates the parameters of a channel.
  public init(name: String = "", channelURL: String? = nil) {
    shared = SharedValues(Values(name: name, channelURL: channelURL))
  }

  /// A snapshot of the current values.
  var values: Values { shared.current }

  /// A snapshot of the values.
  struct Values: PicturedValues, Hashable {
    var name = ""
    var channelURL: String?
    var coverURL = ""
    var picture: FileContent?
    var pictureFileID: String?
    var data = ""
    var customType = ""
    var operatorUserIDs: [String] = []
    var isEphemeral = false

    func write(into writer: inout JSONWriter) {
      if !name.isEmpty { writer.member("name", name) }
      if let channelURL { writer.member("channel_url", channelURL) }
      if !coverURL.isEmpty { writer.member("cover_url", coverURL) }
      if let pictureFileID { writer.member("cover_file_id", pictureFileID) }
      if !data.isEmpty { writer.member("data", data) }
      if !customType.isEmpty { writer.member("custom_type", customType) }
      if !operatorUserIDs.isEmpty { writer.member("operator_ids", operatorUserIDs) }
      if isEphemeral { writer.member("is_ephemeral", true) }
    }
  }
}

/// Changes of a channel; members that are `nil` keep their values.
public final class OpenChannelUpdateParams: Sendable {
  private let shared: SharedValues<Values>

  /// The display name.
  public var name: String? {
    get { shared[\.name] }
    set { shared[\.name] = newValue }
  }

  /// The address of a picture.
  public var coverURL: String? {
    get { shared[\.coverURL] }
    set { shared[\.coverURL] = newValue }
  }

  /// A picture to upload, used instead of ``coverURL``.
  ///
  /// Anyone with its URL can read it.
  public var coverImage: FileContent? {
    get { shared[\.picture] }
    set { shared[\.picture] = newValue }
  }

  /// Application-defined data.
  public var data: String? {
    get { shared[\.data] }
    set { shared[\.data] = newValue }
  }

  /// The application-defined channel type.
  public var customType: String? {
    get { shared[\.customType] }
    set { shared[\.customType] = newValue }
  }

  /// Replaces all operators.
  public var operatorUserIDs: [String]? {
    get { shared[\.operatorUserIDs] }
    set { shared[\.operatorUserIDs] = newValue }
  }

  /// Creates a set of changes.
  public init(
    name: String? = nil, coverURL: String? = nil, data: String? = nil, customType: String? = nil,
    operatorUserIDs: [String]? = nil
  ) {
    shared = SharedValues(
      Values(
        name: name, coverURL: coverURL, data: data, customType: customType,
        operatorUserIDs: operatorUserIDs))
  }

  /// A snapshot of the current values.
  var values: Values { shared.current }

  /// A snapshot of the values.
  struct Values: PicturedValues, Hashable {
    var name: String?
    var coverURL: String?
    var picture: FileContent?
    var pictureFileID: String?
    var data: String?
    var customType: String?
    var operatorUserIDs: [String]?

    func write(into writer: inout JSONWriter) {
      if let name { writer.member("name", name) }
      if let coverURL { writer.member("cover_url", coverURL) }
      if let pictureFileID { writer.member("cover_file_id", pictureFileID) }
      if let data { writer.member("data", data) }
      if let customType { writer.member("custom_type", customType) }
      if let operatorUserIDs { writer.member("operator_ids", operatorUserIDs) }
    }
  }
}
