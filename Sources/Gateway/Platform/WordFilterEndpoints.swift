import Channels
import ParleyProtocol
import Store
import Transport

/// The word filters, at the paths of the documented settings: `/v3/applications/settings_global`, and
/// `/v3/applications/settings_by_channel_custom_type/{custom_type}`.
struct WordFilterEndpoints: Sendable {
  private let isOfCustomType: Bool

  static let deployment = WordFilterEndpoints(isOfCustomType: false)
  static let customType = WordFilterEndpoints(isOfCustomType: true)

  /// `GET`: the filter in force.
  func view(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let rules = call.services.limits.wordFilterRules(customType: try customType(of: call))
    completion { rules.encode(into: &$0) }
  }

  /// `PUT`: sets the given members of `profanity_filter`.
  func set(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let type = try customType(of: call)
    guard let filter = try call.body.nested("profanity_filter") else {
      throw .missing("profanity_filter")
    }
    if let patterns = try filter.texts("regex_filters", limit: 1_000), !patterns.isEmpty {
      throw .invalid(
        "regex_filters", patterns[0],
        expected: "an empty list: the time of regular expressions has no bound")
    }
    let keywords = try filter.filterKeywords()
    let kinds = WordFilterKind.none.rawValue...WordFilterKind.block.rawValue
    let kind = try filter.integer("type", in: kinds).flatMap(WordFilterKind.init)
    guard keywords != nil || kind != nil else { throw .missing("profanity_filter.keywords") }
    change(.set(keywords: keywords, kind: kind), ofCustomType: type, call, completion)
  }

  /// `DELETE`: removes the filter of a custom type, so that the one of the deployment applies.
  func remove(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    change(.remove, ofCustomType: try customType(of: call), call, completion)
  }

  private func customType(of call: PlatformCall) throws(ServiceError) -> String? {
    isOfCustomType ? try call.customType : nil
  }

  /// Channels in memory change at once, also on other servers.
  private func change(
    _ action: WordFilterChange.Action, ofCustomType type: String?, _ call: PlatformCall,
    _ completion: Completion
  ) {
    let services = call.services
    services.store.perform(WordFilterChange(action, ofCustomType: type)) { result in
      switch result.serviceResult {
      case .failure(let error): completion.fail(error)
      case .success(let present):
        services.limits.replace(with: present)
        services.shards.sendToAll(.renewLimits)
        services.didAnnounce()
        completion { services.limits.wordFilterRules(customType: type).encode(into: &$0) }
      }
    }
  }
}

extension PlatformCall {
  /// The custom type in the path.
  ///
  /// - Throws: 400110.
  var customType: String {
    get throws(ServiceError) {
      let type = arguments["custom_type"]
      let limit = CustomDataLimits.most.customTypeLength
      guard type.unicodeScalars.count <= limit else {
        throw .tooLong("custom_type", limit: limit)
      }
      return type
    }
  }
}

extension WordFilterRules {
  fileprivate func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member(
        "profanity_filter",
        object: {
          $0.member("keywords", keywords)
          $0.member("regex_filters", array: { _ in })
          $0.member("type", kind.rawValue)
        })
    }
  }
}
