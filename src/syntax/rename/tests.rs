use rstest::rstest;

use super::*;
use crate::{SymbolPath, outline};
use editd_edit::Plan;

/// Renames a symbol. Returns the new text, and the lines that were left with the reasons.
fn renamed(file: &str, text: &str, symbol: &str, new: &str) -> Result<(String, Vec<String>), RenameRefusal> {
    renamed_with(file, text, symbol, new, false)
}

fn renamed_with(
    file: &str,
    text: &str,
    symbol: &str,
    new: &str,
    comments: bool,
) -> Result<(String, Vec<String>), RenameRefusal> {
    let language = Language::of_path(file.as_ref()).expect("a language");
    let outline = outline(text, language, Deadline::NONE).expect("an outline");
    let found = outline.resolve(&SymbolPath::parse(symbol)).expect("the symbol");
    let name = found.name_range.clone().expect("a name");
    let wanted = Rename { name, kind: found.kind, new: new.to_owned(), comments, elsewhere: false };
    let renamed = rename(text, language, &wanted, Deadline::NONE).expect("a tree")?;
    let lines = Lines::new(text);
    let left = renamed.left.iter().map(|(at, why)| format!("{} {why:?}", lines.of(*at) + 1)).collect();
    let after = Plan::new(text.len(), renamed.splices).expect("a plan").apply(text);
    Ok((after, left))
}

/// Checks a rename of `old` to `new`. In the text, `«old»` is what must be renamed, and `‹old›` what must be left.
#[track_caller]
fn check(file: &str, marked: &str, symbol: &str, new: &str) -> Vec<String> {
    let text = marked.replace(['«', '»', '‹', '›'], "");
    let mut expected = String::new();
    for (index, part) in marked.replace(['‹', '›'], "").split('«').enumerate() {
        let rest = if index == 0 { part } else { part.split_once('»').expect("an end").1 };
        expected.push_str(if index == 0 { "" } else { new });
        expected.push_str(rest);
    }
    let (after, left) = renamed(file, &text, symbol, new).unwrap_or_else(|refusal| panic!("{refusal}"));
    assert_eq!(after, expected, "{left:#?}");
    let expected = marked.matches('‹').count();
    assert_eq!(left.len(), expected, "{left:#?}");
    left
}

const RUST: &str = "\
/// Counts: ‹total›.
pub fn «total»(items: &[u32]) -> u32 {
    items.iter().sum()
}

mod inner {
    use super::«total»;
    pub fn twice() -> u32 { «total»(&[1]) * 2 }
}

mod apart {
    fn ‹total›() -> u32 { 3 }
    pub fn of() -> u32 { ‹total›() + super::«total»(&[]) }
}

mod blind {
    use super::*;
    fn f() -> u32 { «total»(&[]) }
}

struct Cart { ‹total›: u32, f: fn(&[u32]) -> u32 }

impl Cart {
    fn ‹total›(&self) -> u32 { self.‹total› + «total»(&[]) + self.‹total›() }
    fn shadowed(&self, ‹total›: u32) -> u32 { ‹total› }
}

fn main() {
    let ‹total› = «total»(&[1]);
    println!(\"{}\", ‹total›);
    let Cart { ‹total›, .. } = Cart { ‹total›: 1, f: ‹total› };
    let all: Vec<u32> = vec![self::«total»(&[2])];
    for ‹total› in [‹total›(&[3])] { drop(‹total›) }
    if let Some(‹total›) = Some(1) { drop(‹total›) } else { drop(all) }
    let f = |‹total›: u32| ‹total›;
}

fn macros() {
    assert_eq!(«total»(&[1]), 1, \"‹total›\");
    my_macro!(‹total›);
    let v = vec![x.‹total›, y::‹total›];
}
";

#[test]
fn a_function_of_rust_is_renamed_where_it_is_meant() {
    check("a.rs", RUST, "total@3", "sum_all");
}

const PYTHON: &str = "\
__all__ = [\"‹total›\"]
def «total»(x: int = 1) -> int:
    return x

def other(‹total›, y=«total»(1)):
    return ‹total› + y

class Cart:
    ‹total› = «total»(2)
    twice = ‹total› * 2

    def run(self):
        self.‹total› = «total»(3)
        return self.‹total›

    def local(self):
        ‹total› = 1
        def inner():
            nonlocal ‹total›
            ‹total› = 2
        return lambda ‹total›: ‹total›

def reset():
    global «total»
    «total» = None

values = [«total»(x) for x in range(3)]
others = [‹total› for ‹total› in [«total»(4)]]
call(‹total›=«total»)
text = f\"{«total»(1)} ‹total›\"  # ‹total›
with open(\"x\") as f, «total»(f) as g:
    pass
match values:
    case [first, *rest]:
        pass
module.‹total›()
del «total»
";

#[test]
fn a_function_of_python_is_renamed_where_it_is_meant() {
    check("a.py", PYTHON, "total@2", "sum_all");
}

const SCRIPT: &str = "\
import {other as y, z} from './y';
export function «total»(x) { return x; }
export { «total»: };
const pack = { «total»: , other: «total», ‹total›: 1 };
function shadow(‹total›, {a, b: c} = ‹total›) { return ‹total›; }
function deep({‹total›}) { return ‹total›; }
const arrow = ‹total› => ‹total› + 1;
class Cart {
  ‹total›() { return this.‹total› + «total»(1); }
}
for (const ‹total› of ‹total›([])) { use(‹total›); }
for (const a of «total»([])) { use(a); }
{ let ‹total› = 1; use(‹total›); }
try { «total»(); } catch (‹total›) { use(‹total›); }
use(x.‹total›, `${«total»(2)} ‹total›`);
({«total»: , b} = pack);
";

#[rstest]
#[case::javascript("a.js")]
#[case::typescript("a.ts")]
#[case::tsx("a.tsx")]
fn a_function_of_javascript_is_renamed_where_it_is_meant(#[case] file: &str) {
    let plain = |text: &str| text.replace("total: }", "total }").replace("total: ,", "total,");
    let text = plain(&SCRIPT.replace(['‹', '›', '«', '»'], "").replace("total:}", "total}"));
    let (after, left) = renamed(file, &text, "total@2", "sum_all").expect("a rename");
    let expected = SCRIPT.replace(['‹', '›'], "").replace("«total»:}", "sum_all as total}");
    let expected =
        expected.replace("«total»: ,", "total: sum_all,").replace("{ «total»: }", "{ sum_all as total }");
    let expected = expected.replace("«total»", "sum_all");
    assert_eq!(after, expected, "{left:#?}");
    assert_eq!(left.len(), SCRIPT.matches('‹').count(), "{left:#?}");
}

const GO: &str = "\
package shop

import \"fmt\"

func «total»(x int) int { return x }

type Cart struct{ ‹total› int }

func (c *Cart) ‹total›() int { return c.‹total› + «total»(1) }

func local(‹total› int) int { return ‹total› }

func main() {
\tfmt.Println(«total»(2), Cart{‹total›: «total»(3)})
\t‹total› := «total»(4)
\tfmt.Println(‹total›)
\tfor ‹total› := range []int{} { fmt.Println(‹total›) }
\tm := map[string]int{\"‹total›\": 1}
\tfmt.Println(m)
}
";

#[test]
fn a_function_of_go_is_renamed_where_it_is_meant() {
    check("a.go", GO, "total@5", "sumAll");
}

const C: &str = "\
int «total»(int x);
#define TWICE(x) (‹total›(x) * 2)
struct ‹total› { int ‹total›; };
static int other(int ‹total›) { return ‹total›; }
int «total»(int x)
{
    struct ‹total› s = { .‹total› = «total»(1) };
    return s.‹total› + p->‹total› + «total»(2); /* ‹total› */
}
int third(void)
{
    int a = «total»(1);
    int ‹total› = 3;
    goto done;
done:
    return ‹total› + a;
}
int (*table[])(int) = { «total», &«total» };
";

#[test]
fn a_function_of_c_is_renamed_with_its_prototype() {
    check("a.c", C, "total/1", "sum_all");
}

const LUA: &str = "\
local function «total»(x) return x end
local M = { ‹total› = «total», [«total»] = 1 }
function M.‹total›(x) return «total»(x) end
function M:run(‹total›) return ‹total› + self.‹total›(1) end
for _, ‹total› in ipairs(«total»(M)) do print(‹total›) end
local ‹total› = «total»(1)
print(‹total›)
";

#[test]
fn a_function_of_lua_is_renamed_where_it_is_meant() {
    check("a.lua", LUA, "total/1", "sum_all");
}

const BASH: &str = "\
# ‹total›
«total»() { echo \"$1\"; }
‹total›=1
echo \"$‹total› $(«total» 2)\" ‹total›
if «total» 3; then «total»; fi
";

#[test]
fn a_function_of_bash_is_renamed_where_it_is_called() {
    check("a.sh", BASH, "total@2", "sum_all");
}

const JAVA: &str = "\
class Cart extends Base {
    int ‹total›;
    int «total»(int x) { return «total»(x - 1) + this.«total»(2) + ‹total›; }
    static class Inner { int ‹total›() { return ‹total›(); } }
    Runnable r = new Runnable() { public void run() { «total»(3); } };
}
class Big extends Cart {
    int «total»(int x) { return super.«total»(x); }
    int f(Other o, Cart c) { return o.‹total›() + «total»(1) + c.‹total›(2); }
}
class Other { int ‹total›() { return 1; } }
";

#[test]
fn a_method_of_java_is_renamed_with_those_that_override_it() {
    check("Cart.java", JAVA, "Cart.total@3", "sumAll");
}

const METHODS: &str = "\
struct Cart;
trait Sized2 { fn ‹total›(&self); }
impl Cart {
    fn «total»(&self) -> u32 { self.other().‹total›(); 1 }
    fn two(&self, x: Other) -> u32 { self.«total»() + Self::«total»(self) + Cart::«total»(self) + x.‹total›() }
}
fn ‹total›() { assert!(‹total›()) }
";

#[test]
fn with_several_types_only_certain_members_are_renamed() {
    check("a.rs", METHODS, "Cart.total", "sum_all");
}

const MEMBER: &str = "\
class Cart:
    def «total_price»(self):
        return self.items[0].«total_price»() + cart.«total_price»

class Big(Cart):
    def «total_price»(self):
        return super().«total_price»() + Cart.«total_price»(self)

def f(cart, ‹total_price›):
    return cart.«total_price»() + ‹total_price› + shop.‹total_price›() + call(‹total_price›=1)

import shop
";

#[test]
fn a_member_of_one_type_is_renamed_at_all_objects() {
    check("a.py", MEMBER, "Cart.total_price", "amount");
}

const ARROWS: &str = "\
class Page {
  «refreshList»() { return 1; }
  listen() {
    hear({
      changed: () => { this.«refreshList»(); },
      nested: { ended: () => [1].map(() => this.«refreshList»()) },
      closed() { this.‹refreshList›(); },
    });
  }
}
";

#[rstest]
#[case::javascript("a.js")]
#[case::typescript("a.ts")]
fn an_arrow_function_in_an_object_has_the_object_of_the_type_around(#[case] file: &str) {
    check(file, ARROWS, "Page.refreshList", "drawList");
}

const TRAIT: &str = "\
trait Shape { fn «area»(&self) -> u32; }
struct A;
struct B;
impl Shape for A { fn «area»(&self) -> u32 { 1 } }
impl Shape for B { fn «area»(&self) -> u32 { A.«area»() + Shape::«area»(&A) + <A as Shape>::‹area›(&A) } }
";

#[test]
fn a_method_of_a_trait_is_renamed_with_its_implementations() {
    check("a.rs", TRAIT, "Shape.area", "surface");
    check("a.rs", TRAIT, "A.area", "surface");
}

const MODULES: &str = "\
var base = require('./base');
exports.«encode_all» = function (x) { return base.‹encode_all›(x) + exports.«encode_all»(1) + x.‹encode_all›; };
";

const PACKAGES: &str = "\
package a

import \"net/shop\"

type Cart struct{}

func (c Cart) «Total»() int { return shop.‹Total›(c) }

func f(x Cart) int { return x.«Total»() + Cart{}.«Total»() }
";

const TABLES: &str = "\
local M = {}
local http = require \"http\"
function M.«fetch»(x) return http.‹fetch›(x) + M.«fetch»(1) + x.‹fetch› end
function M:other() return self.«fetch»() end
return M
";

#[test]
fn members_of_modules_are_left() {
    check("a.js", MODULES, "encode_all", "pack");
    check("a.go", PACKAGES, "Total", "Sum");
    check("a.lua", TABLES, "M.fetch", "load");
    let java = "class A { int «rate»() { return Other.‹rate›() + A.«rate»() + b.«rate»(); } }\n";
    check("A.java", java, "A.rate", "speed");
}

const FIELD: &str = "\
struct Span { ‹rows_of›: u32 }
struct Other { ‹rows_of›: u32 }
impl Span {
    fn new() -> Self { Self { ‹rows_of›: 1 } }
    fn «rows_of»(&self) -> u32 { self.‹rows_of› }
}
fn f(s: Span) -> u32 { assert!(s.«rows_of»() == s.‹rows_of›); s.«rows_of»() + Span::new().«rows_of»() }
";

#[test]
fn a_method_and_a_field_of_rust_can_have_one_name() {
    check("a.rs", FIELD, "Span.rows_of", "rows");
}

/// A rename leaves line endings, tabs and other characters as they are.
#[test]
fn other_bytes_stay() {
    check(
        "a.py",
        "\u{feff}# 🦀 ‹name›\r\ndef «name»():\r\n\treturn '🦀'\r\n\r\n«name»()\t# é\r\n",
        "name",
        "größe",
    );
    check("a.rs", "fn «größe»() { println!(\"🦀{}\", «größe»()) }\r", "größe", "size");
}

#[test]
fn comments_and_strings_are_renamed_on_request() {
    let text = "# total, totals\ndef total():\n    '''total'''\n    return \"a total b\"\n";
    let (after, left) = renamed_with("a.py", text, "total", "sum_all", true).expect("a rename");
    assert_eq!(after, "# sum_all, totals\ndef sum_all():\n    '''sum_all'''\n    return \"a sum_all b\"\n");
    assert!(left.is_empty(), "{left:?}");
}

#[rstest]
#[case::same_scope("a.py", "def a(): pass\ndef b(): pass\n", "a", "b", "declared or used already in line 2")]
#[case::local_captures(
    "a.py",
    "def a(): pass\ndef f(b):\n    return a()\n",
    "a",
    "b",
    "line 3, the new name would mean what line 2"
)]
#[case::builtin_hidden("a.py", "def a(): pass\nprint(1)\n", "a", "print", "line 2 already uses")]
#[case::keyword("a.py", "def a(): pass\n", "a", "class", "a keyword")]
#[case::keyword_of_rust("a.rs", "fn a() {}\n", "a", "match", "a keyword")]
#[case::value_of_lua("a.lua", "local function a() end\na()\n", "a", "nil", "a keyword")]
#[case::literal("a.py", "def a(): pass\na()\n", "a", "None", "read differently")]
#[case::broken("a.py", "def a(): pass\nx = (\n", "a", "b", "a syntax error in line 2")]
#[case::data("a.json", "{\"a\": 1}\n", "a", "b", "cannot be known in json")]
#[case::heading("a.md", "# a\n", "a", "b", "cannot be known in markdown")]
#[case::implements("a.rs", "impl Display for A { fn fmt(&self) {} }\n", "fmt", "show", "declared elsewhere")]
#[case::overrides("A.java", "class A { @Override int f() { return 1; } }\n", "f", "g", "declared elsewhere")]
#[case::constructor("A.java", "class A { A() {} }\n", "A.A", "B", "a constructor has the name")]
#[case::special(
    "a.py",
    "class A:\n    def __len__(self): pass\n",
    "__len__",
    "size",
    "gives the name a meaning"
)]
#[case::import(
    "a.py",
    "try:\n    from x import a\nexcept E:\n    pass\ndef a(): pass\n",
    "a",
    "b",
    "an import declares"
)]
#[case::member_exists(
    "a.py",
    "class A:\n    def a(self): self.b = 1\n",
    "A.a",
    "b",
    "declared or used already in line 2"
)]
#[case::implicit_captured(
    "A.java",
    "class A { int a() { return 1; }\n int h() { return b(); } }",
    "A.a",
    "b",
    "line 2 already uses"
)]
#[case::dynamic(
    "a.sh",
    "x=1\nf() { local x=2; g; }\ng() { echo $x; }\n",
    "x",
    "y",
    "the functions that it calls"
)]
#[case::element(
    "a.jsx",
    "function Total() {}\nconst x = <Total/>;\n",
    "Total",
    "total",
    "line 2 would be read differently"
)]
fn a_rename_that_is_not_certain_is_refused(
    #[case] file: &str,
    #[case] text: &str,
    #[case] symbol: &str,
    #[case] new: &str,
    #[case] expected: &str,
) {
    let refusal = renamed(file, text, symbol, new).expect_err("a refusal").to_string();
    assert!(refusal.contains(expected), "{refusal}");
}
