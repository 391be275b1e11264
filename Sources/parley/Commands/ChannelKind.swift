internal import ArgumentParser
internal import Basics
internal import HTTP
internal import ParleyProtocol

extension ChannelKind {
  /// The path of all channels of this kind in the Platform API.
  var path: String { "/v3/\(rawValue)" }

  /// Returns the path of one channel.
  func path(of url: String) -> String { "\(path)/\(PercentEncoding.encode(pathPart: url))" }

  var other: ChannelKind {
    switch self {
    case .open: .group
    case .group: .open
    }
  }

  /// The words after the URL of a channel of this kind that was named as one of the other.
  var advice: String {
    switch self {
    case .open: "is an open channel, not a group: use 'parley channel', or omit --group"
    case .group: "is a group, not an open channel: use 'parley group', or add --group"
    }
  }
}

/// Arguments that name a channel.
protocol NamedChannel: ParsableArguments {
  var url: String { get }
  var kind: ChannelKind { get }
}

extension NamedChannel {
  /// The path in the Platform API.
  var path: String { kind.path(of: url) }

  func validate() throws {
    guard !url.isEmpty else {
      throw ValidationError("the channel URL is empty; a URL such as lobby is expected")
    }
  }
}

/// The argument of commands that are for one kind of channel.
protocol ChannelOfKind: NamedChannel, MetadataHolder {
  /// The fields that a command sets.
  associatedtype Fields: ChannelFields
  /// The options of a new channel that cannot be changed later.
  associatedtype Creation: ChannelCreation

  static var kind: ChannelKind { get }
}

extension ChannelOfKind {
  var kind: ChannelKind { Self.kind }
}

/// Options for the fields of a channel.
protocol ChannelFields: ParsableArguments {
  /// The members of the request body.
  var body: RequestBody { get }
  /// The file of a picture, with the name of its part in a form.
  var picture: PictureFile? { get }
}

/// Options of a new channel.
protocol ChannelCreation: ParsableArguments {
  /// Adds the members of the request body.
  func add(to body: inout RequestBody)
}

/// The open channel that a command applies to.
struct ChannelArgument: ChannelOfKind {
  typealias Fields = ChannelFieldOptions
  typealias Creation = ChannelCreationOptions

  static let kind = ChannelKind.open
  static let noun = "channel"
  static let example = "lobby"

  @Argument(help: ArgumentHelp("The channel URL, such as lobby.", valueName: "channel"))
  var url: String
}

/// The group that a command applies to.
struct GroupArgument: ChannelOfKind {
  typealias Fields = GroupFieldOptions
  typealias Creation = GroupCreationOptions

  static let kind = ChannelKind.group
  static let noun = "group"
  static let example = "trip"

  @Argument(help: ArgumentHelp("The group's channel URL, such as trip.", valueName: "group"))
  var url: String
}

/// The channel, open or a group, that a command applies to.
struct EitherChannelArgument: NamedChannel {
  @Argument(help: ArgumentHelp("The channel URL, such as lobby.", valueName: "channel"))
  var url: String

  @Flag(help: "The channel is a group.")
  var group = false

  var kind: ChannelKind { group ? .group : .open }
}
