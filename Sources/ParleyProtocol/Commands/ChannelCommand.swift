/// A command that a channel's judge executes, regardless of the interface through which it arrived.
package enum ChannelCommand: Sendable {
  case view
  case operation(ChannelOperation)
  case send(MessageOrder)
  case updateMessage(Int64, MessageChanges)
  case deleteMessage(Int64)
  case viewMessage(Int64)
  /// Language tags without duplicates, ignoring case; at least one.
  case translateMessage(Int64, into: [String])
  case changeMetaArrays(ofMessage: Int64, MetaArrayChange)
  indirect case group(GroupCommand)
}

/// A change of a channel's settings.
package enum ChannelOperation: Sendable {
  case update(ChannelFields)
  case freeze(Bool)
  case addOperators([String])
  case removeOperators([String])
  case removeAllOperators
  case restrict(RestrictionKind, ChannelRestriction)
  /// Changes a ban that is in force.
  case changeBan(userID: String, BanChange)
  case lift(RestrictionKind, userID: String)
  case changeMembers(MembershipChange)
  /// Deletes a group that has no members when the operation is carried out.
  case deleteEmpty
  case delete
}

/// A change of a message's metaarrays.
package enum MetaArrayChange: Sendable, Hashable {
  /// Keys without values are added.
  case createKeys([String])
  /// Keys are removed with their values.
  case deleteKeys([String])
  /// Values are added; a missing key is created for callers who may create keys.
  case addValues([MetaArray])
  case removeValues([MetaArray])
  /// Like `addValues`, except that a missing key is refused.
  case addValuesToKnownKeys([MetaArray])
  /// Like `removeValues`, except that a missing key is refused.
  case removeValuesFromKnownKeys([MetaArray])
}

extension ChannelCommand {
  /// Reads the parameters of a command, except for its channel.
  package typealias Reader = FieldsReader<ChannelCommand>

  /// The readers by the names of client methods.
  static let readers: [String: Reader] = channelReaders.merging(GroupCommand.readers) { $1 }

  private static let channelReaders: [String: Reader] = [
    "channel.get": .init { _ throws(ServiceError) in .view },
    "channel.delete": .init { _ throws(ServiceError) in .operation(.delete) },
    "channel.freeze": .init { _ throws(ServiceError) in .operation(.freeze(true)) },
    "channel.unfreeze": .init { _ throws(ServiceError) in .operation(.freeze(false)) },
    "channel.mute": .init { p throws(ServiceError) in .operation(.restrict(.mute, try .mute(p))) },
    "channel.unmute": .init { p throws(ServiceError) in
      .operation(.lift(.mute, userID: try p.userID()))
    },
    "channel.ban": .init { p throws(ServiceError) in .operation(.restrict(.ban, try .ban(p))) },
    "channel.unban": .init { p throws(ServiceError) in
      .operation(.lift(.ban, userID: try p.userID()))
    },
    "channel.add_operators": .init { p throws(ServiceError) in
      .operation(.addOperators(try p.operatorIDs("user_ids")))
    },
    "channel.remove_operators": .init { p throws(ServiceError) in
      .operation(.removeOperators(try p.operatorIDs("user_ids")))
    },
    "message.send": .init { p throws(ServiceError) in .send(MessageOrder(p)) },
    "message.update": .init { p throws(ServiceError) in
      let id = try p.messageID()
      let changes = try MessageChanges(p)
      guard !changes.isEmpty else { throw .missing("message") }
      return .updateMessage(id, changes)
    },
    "message.delete": .init { p throws(ServiceError) in .deleteMessage(try p.messageID()) },
    "message.get": .init { p throws(ServiceError) in .viewMessage(try p.messageID()) },
    "message.translate": .init { p throws(ServiceError) in
      .translateMessage(try p.messageID(), into: try p.targetLanguages())
    },
    "message.create_metaarray_keys": .init { p throws(ServiceError) in
      .changeMetaArrays(
        ofMessage: try p.messageID(),
        .createKeys(try p.metaArrayKeys("keys", within: p.limits.metaArrays)))
    },
    "message.delete_metaarray_keys": .init { p throws(ServiceError) in
      .changeMetaArrays(
        ofMessage: try p.messageID(), .deleteKeys(try p.metaArrayKeys("keys", within: .most)))
    },
    "message.add_metaarray_values": .init { p throws(ServiceError) in
      .changeMetaArrays(
        ofMessage: try p.messageID(),
        .addValues(try p.metaArrayTable("values", within: p.limits.metaArrays)))
    },
    "message.remove_metaarray_values": .init { p throws(ServiceError) in
      .changeMetaArrays(
        ofMessage: try p.messageID(), .removeValues(try p.metaArrayTable("values", within: .most)))
    },
  ]
}
