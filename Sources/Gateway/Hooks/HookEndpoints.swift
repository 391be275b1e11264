import Hooks
import ParleyProtocol

/// The hooks of this server, below `/v3/parley/hooks`.
enum HookEndpoints {
  /// `GET …`: the state of each hook.
  static func list(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let hooks = call.services.hooks
    completion(
      .success(
        JSONWriter.bytes {
          $0.object {
            $0.member("hooks", array: { hooks?.encodeStates(into: &$0) })
            $0.member("waiting", hooks?.figures.waiting ?? 0)
          }
        }))
  }

  /// `POST …/test`: sends a request to the URL of each hook, and returns the answers.
  static func test(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    guard let hooks = call.services.hooks else {
      throw ServiceError(
        .combinationNotAcceptable, "there are no hooks: hooks.events is not set")
    }
    hooks.test { completion(.success($0.encoded)) }
  }
}

extension Hooks {
  fileprivate func encodeStates(into writer: inout JSONWriter) {
    for (hook, state) in figures.hooks.sorted(by: { $0.key < $1.key }) {
      let (url, policy) = target(of: hook)
      writer.object {
        $0.member("hook", hook.rawValue)
        $0.member("url", url.withoutQuery)
        $0.member("on_failure", policy.rawValue)
        $0.member("circuit_open", state.isCircuitOpen)
        $0.member(
          "outcomes",
          object: { outcomes in
            for outcome in HookOutcome.allCases {
              outcomes.name(escaping: outcome.rawValue)
              outcomes.value(Int64(state.outcomes[outcome] ?? 0))
            }
          })
        $0.member("last_answer_at", state.lastAnswer ?? 0)
        $0.member("last_failure_at", state.lastFailure ?? 0)
        $0.member("last_failure", state.problem)
      }
    }
  }
}

extension [HookTestResult] {
  fileprivate var encoded: [UInt8] {
    JSONWriter.bytes {
      $0.object {
        $0.member(
          "hooks",
          array: {
            for result in self {
              $0.object {
                $0.member("hook", result.hook.rawValue)
                $0.member("url", result.url.withoutQuery)
                $0.member("milliseconds", result.milliseconds)
                $0.member("allowed", result.isAllowed ?? false)
                $0.member("problem", result.problem)
              }
            }
          })
      }
    }
  }
}

extension String {
  /// A URL without its query, which may contain a key.
  fileprivate var withoutQuery: String { String(prefix { $0 != "?" }) }
}
