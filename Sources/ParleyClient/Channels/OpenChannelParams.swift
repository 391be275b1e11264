internal import ParleyProtocol

/// An open channel to be created.
public final class OpenChannelCreateParams: Sendable {
  private let shared: SharedValues<Values>

  /// The name shown to people, at most 191 characters.
  public var name: String {
    get { shared[\.name] }
    set { shared[\.name] = newValue }
  }

  /// 4 to 100 characters of `[A-Za-z0-9_-]`; `nil` lets the server make one.
  public var channelURL: String? {
    get { shared[\.channelURL] }
    set { shared[\.channelURL] = newValue }
  }

  /// The address of a picture, at most 2,048 characters.
  public var coverURL: String {
    get { shared[\.coverURL] }
    set { shared[\.coverURL] = newValue }
  }

  /// A picture to be uploaded in place of ``coverURL``.
  ///
  /// Anyone who has its address can read it.
  public var coverImage: FileContent? {
    get { shared[\.picture] }
    set { shared[\.picture] = newValue }
  }

  /// The application's own, at most 16,384 bytes by default; the server does not look inside.
  public var data: String {
    get { shared[\.data] }
    set { shared[\.data] = newValue }
  }

  /// The application's own name for this kind of channel, at most 128 characters by default.
  public var customType: String {
    get { shared[\.customType] }
    set { shared[\.customType] = newValue }
  }

  /// Operators beside the creator, at most 100.
  public var operatorUserIDs: [String] {
    get { shared[\.operatorUserIDs] }
    set { shared[\.operatorUserIDs] = newValue }
  }

  /// Whether its messages are not kept.
  public var isEphemeral: Bool {
    get { shared[\.isEphemeral] }
    set { shared[\.isEphemeral] = newValue }
  }

  /// Begins a channel with its name.
  public init(name: String = "", channelURL: String? = nil) {
    shared = SharedValues(Values(name: name, channelURL: channelURL))
  }

  /// The values at this moment.
  var values: Values { shared.current }

  /// The values of one moment.
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

  /// The name shown to people.
  public var name: String? {
    get { shared[\.name] }
    set { shared[\.name] = newValue }
  }

  /// The address of a picture.
  public var coverURL: String? {
    get { shared[\.coverURL] }
    set { shared[\.coverURL] = newValue }
  }

  /// A picture to be uploaded in place of ``coverURL``.
  ///
  /// Anyone who has its address can read it.
  public var coverImage: FileContent? {
    get { shared[\.picture] }
    set { shared[\.picture] = newValue }
  }

  /// The application's own.
  public var data: String? {
    get { shared[\.data] }
    set { shared[\.data] = newValue }
  }

  /// The application's own name for this kind of channel.
  public var customType: String? {
    get { shared[\.customType] }
    set { shared[\.customType] = newValue }
  }

  /// Replaces all operators.
  public var operatorUserIDs: [String]? {
    get { shared[\.operatorUserIDs] }
    set { shared[\.operatorUserIDs] = newValue }
  }

  /// Names what is to change.
  public init(
    name: String? = nil, coverURL: String? = nil, data: String? = nil, customType: String? = nil,
    operatorUserIDs: [String]? = nil
  ) {
    shared = SharedValues(
      Values(
        name: name, coverURL: coverURL, data: data, customType: customType,
        operatorUserIDs: operatorUserIDs))
  }

  /// The values at this moment.
  var values: Values { shared.current }

  /// The values of one moment.
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
