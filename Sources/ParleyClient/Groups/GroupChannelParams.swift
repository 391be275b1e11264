internal import ParleyProtocol

/// The properties of a group to create.
public final class GroupChannelCreateParams: Sendable {
  private let shared: SharedValues<Values>

  /// The display name, at most 191 characters.
  public var name: String {
    get { shared[\.name] }
    set { shared[\.name] = newValue }
  }

  /// 4 to 100 characters of `[A-Za-z0-9_-]`; if `nil`, the server generates one.
  ///
  /// The URL of a private group must not be guessable if nobody may know that it is in use.
  public var channelURL: String? {
    get { shared[\.channelURL] }
    set { shared[\.channelURL] = newValue }
  }

  /// The ids of the members besides the creator, at most 100 with ``users``.
  public var userIDs: [String] {
    get { shared[\.userIDs] }
    set { shared[\.userIDs] = newValue }
  }

  /// The members besides the creator, in addition to ``userIDs``.
  public var users: [User] {
    get { shared[\.users] }
    set { shared[\.users] = newValue }
  }

  /// The operators, who must be members; if empty, the creator.
  ///
  /// A distinct group has only the operators that are named here.
  public var operatorUserIDs: [String] {
    get { shared[\.operatorUserIDs] }
    set { shared[\.operatorUserIDs] = newValue }
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

  /// Whether an existing group of exactly these members is returned instead of a new one.
  ///
  /// The other parameters then have no effect. A distinct group cannot be public.
  public var isDistinct: Bool {
    get { shared[\.isDistinct] }
    set { shared[\.isDistinct] = newValue }
  }

  /// Whether users who know the URL may join.
  public var isPublic: Bool {
    get { shared[\.isPublic] }
    set { shared[\.isPublic] = newValue }
  }

  /// Whether the group has room for many members; it cannot be distinct.
  public var isSuper: Bool {
    get { shared[\.isSuper] }
    set { shared[\.isSuper] = newValue }
  }

  /// The code that joining a public group needs, at most 50 characters; empty for none.
  public var accessCode: String {
    get { shared[\.accessCode] }
    set { shared[\.accessCode] = newValue }
  }

  /// Whether the server does not store its messages.
  public var isEphemeral: Bool {
    get { shared[\.isEphemeral] }
    set { shared[\.isEphemeral] = newValue }
  }

  /// Creates the parameters of a group.
  public init(name: String = "", userIDs: [String] = []) {
    shared = SharedValues(Values(name: name, userIDs: userIDs))
  }

  /// A snapshot of the current values.
  var values: Values { shared.current }

  /// A snapshot of the values.
  struct Values: PicturedValues, Hashable {
    var name = ""
    var channelURL: String?
    var userIDs: [String] = []
    var users: [User] = []
    var operatorUserIDs: [String] = []
    var coverURL = ""
    var picture: FileContent?
    var pictureFileID: String?
    var data = ""
    var customType = ""
    var isDistinct = false
    var isPublic = false
    var isSuper = false
    var accessCode = ""
    var isEphemeral = false

    func write(into writer: inout JSONWriter) {
      let userIDs = userIDs + users.map(\.userID)
      if !userIDs.isEmpty { writer.member("user_ids", userIDs) }
      if !name.isEmpty { writer.member("name", name) }
      if let channelURL { writer.member("channel_url", channelURL) }
      if !coverURL.isEmpty { writer.member("cover_url", coverURL) }
      if let pictureFileID { writer.member("cover_file_id", pictureFileID) }
      if !data.isEmpty { writer.member("data", data) }
      if !customType.isEmpty { writer.member("custom_type", customType) }
      if !operatorUserIDs.isEmpty { writer.member("operator_ids", operatorUserIDs) }
      if isDistinct { writer.member("is_distinct", true) }
      if isPublic { writer.member("is_public", true) }
      if isSuper { writer.member("is_super", true) }
      if !accessCode.isEmpty { writer.member("access_code", accessCode) }
      if isEphemeral { writer.member("is_ephemeral", true) }
    }
  }
}

/// Changes of a group; members that are `nil` keep their values.
public final class GroupChannelUpdateParams: Sendable {
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

  /// Whether users who know the URL may join; a public group that becomes private keeps its members.
  public var isPublic: Bool? {
    get { shared[\.isPublic] }
    set { shared[\.isPublic] = newValue }
  }

  /// The code that joining a public group needs; empty for none.
  public var accessCode: String? {
    get { shared[\.accessCode] }
    set { shared[\.accessCode] = newValue }
  }

  /// Replaces all operators, who must be members.
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
    var isPublic: Bool?
    var accessCode: String?
    var operatorUserIDs: [String]?

    func write(into writer: inout JSONWriter) {
      if let name { writer.member("name", name) }
      if let coverURL { writer.member("cover_url", coverURL) }
      if let pictureFileID { writer.member("cover_file_id", pictureFileID) }
      if let data { writer.member("data", data) }
      if let customType { writer.member("custom_type", customType) }
      if let isPublic { writer.member("is_public", isPublic) }
      if let accessCode { writer.member("access_code", accessCode) }
      if let operatorUserIDs { writer.member("operator_ids", operatorUserIDs) }
    }
  }
}
