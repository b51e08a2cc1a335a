use std::path::Path;

use rstest::rstest;

use super::*;
use crate::rename::Renamed;
use crate::{SymbolPath, outline};
use editd_edit::Plan;

/// A file with its path.
type Named<'a> = (&'a str, &'a str);

/// Renames a symbol of the first file in the others.
fn renamed(
    (home, text): Named<'_>,
    (symbol, new, comments): (&str, &str, bool),
    others: &[Named<'_>],
) -> Vec<Result<Renamed, RenameRefusal>> {
    let language = Language::of_path(home.as_ref()).expect("a language");
    let outline = outline(text, language, Deadline::NONE).expect("an outline");
    let found = outline.resolve(&SymbolPath::parse(symbol)).expect("the symbol");
    let name = found.name_range.clone().expect("a name");
    let wanted = Rename { name, kind: found.kind, new: new.to_owned(), comments, elsewhere: true };
    let declared = declared(text, language, &wanted, Deadline::NONE).expect("a tree");
    let found: Vec<_> = others
        .iter()
        .map(|(path, text)| {
            let language = Language::of_path(path.as_ref()).expect("a language");
            mentions(text, language, &declared, Deadline::NONE).expect("a tree")
        })
        .collect();
    let files: Vec<_> = others
        .iter()
        .zip(&found)
        .map(|((path, _), mentions)| OtherFile { path: Path::new(path), mentions })
        .collect();
    settle(&declared, Path::new(home), &files)
}

/// Checks a rename of the first file in the others, in which `«old»` is what must be renamed, and `‹old›` what must be
/// left.
#[track_caller]
fn check(home: Named<'_>, symbol: &str, new: &str, others: &[Named<'_>]) {
    check_with(home, (symbol, new, false), others);
}

#[track_caller]
fn check_with(home: Named<'_>, symbol: (&str, &str, bool), others: &[Named<'_>]) {
    let plain: Vec<(&str, String)> =
        others.iter().map(|(path, marked)| (*path, marked.replace(['«', '»', '‹', '›'], ""))).collect();
    let plain: Vec<Named<'_>> = plain.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let all = renamed(home, symbol, &plain);
    for (((path, marked), (_, text)), renamed) in others.iter().zip(&plain).zip(all) {
        let renamed = renamed.unwrap_or_else(|refusal| panic!("{path}: {refusal}"));
        let mut expected = String::new();
        for (index, part) in marked.replace(['‹', '›'], "").split('«').enumerate() {
            let rest = if index == 0 { part } else { part.split_once('»').expect("an end").1 };
            expected.push_str(if index == 0 { "" } else { symbol.1 });
            expected.push_str(rest);
        }
        let left = renamed.left;
        let after = Plan::new(text.len(), renamed.splices).expect("a plan").apply(text);
        assert_eq!(after, expected, "{path}: {left:?}");
        assert_eq!(left.len(), marked.matches('‹').count(), "{path}: {left:?}");
    }
}

const SCRIPT: Named<'_> = ("/p/src/shop.ts", "export function total(x: number) { return x; }\n");

#[rstest]
#[case::imported(
    "/p/src/a.ts",
    "import { «total», other } from './shop';\nuse(«total»(1), x.‹total›, '‹total›');\n"
)]
#[case::with_ending("/p/src/a.js", "import { «total» } from './shop.js';\n«total»(1);\n")]
#[case::from_below("/p/src/in/a.tsx", "import { «total» } from '../shop';\nconst f = () => «total»(1);\n")]
#[case::by_alias_of_a_folder("/p/src/in/a.ts", "import { «total» } from '@/shop';\n«total»(1);\n")]
#[case::with_another_name(
    "/p/src/a.ts",
    "import { «total» as t } from './shop';\nt(1); const ‹total› = 2;\n"
)]
#[case::as_a_module("/p/src/a.ts", "import * as shop from './shop';\nshop.«total»(1); other.‹total›(2);\n")]
#[case::a_module_that_is_shadowed(
    "/p/src/a.ts",
    "import * as shop from './shop';\nfunction f(shop) { return shop.‹total›(1); }\n"
)]
#[case::shadowed(
    "/p/src/a.ts",
    "import { «total» } from './shop';\nfunction f(‹total›) { return ‹total›; }\n«total»(f);\n"
)]
#[case::a_type_import("/p/src/a.ts", "import { type «total» } from './shop';\n")]
#[case::of_another_module("/p/src/a.ts", "import { ‹total› } from './store';\n‹total›(1);\n")]
#[case::of_a_package("/p/src/a.ts", "import { ‹total› } from 'shop';\n‹total›(1);\n")]
#[case::of_another_folder("/p/src/in/a.ts", "import { ‹total› } from './shop';\n‹total›(1);\n")]
#[case::the_default("/p/src/a.ts", "import ‹total› from './shop';\n‹total›(1);\n")]
#[case::declared_there("/p/src/a.ts", "export function ‹total›() {}\n‹total›();\n")]
#[case::a_global("/p/src/a.js", "‹total›(1);\n")]
#[case::another_language("/p/src/a.py", "from shop import ‹total›\n")]
#[case::another_kind("/p/src/a.md", "# ‹total›\n")]
#[case::a_key("/p/src/a.ts", "import { «total» } from './shop';\nuse({ ‹total›: «total»(1) });\n")]
#[case::with_an_error("/p/src/a.ts", "import { ‹total› } from './shop';\n‹total›(1;\n")]
fn uses_of_a_function_of_a_script(#[case] path: &str, #[case] marked: &str) {
    check(SCRIPT, "total", "sumAll", &[(path, marked)]);
}

#[test]
fn a_script_keeps_the_keys_and_exports_that_others_know() {
    let text = "import { total } from './shop';\nexport { total };\nuse({ total });\n";
    let all = renamed(SCRIPT, ("total", "sumAll", false), &[("/p/src/a.ts", text)]);
    let splices = all.into_iter().next().expect("a file").expect("a rename").splices;
    let after = Plan::new(text.len(), splices).expect("a plan").apply(text);
    let expected = "import { sumAll } from './shop';\nexport { sumAll as total };\nuse({ total: sumAll });\n";
    assert_eq!(after, expected);
}

#[test]
fn a_script_that_passes_the_name_on_is_followed() {
    check(
        SCRIPT,
        "total",
        "sumAll",
        &[
            (
                "/p/src/index.ts",
                "export { «total» } from './shop';\nexport { ‹total› as t } from './store';\n",
            ),
            ("/p/test/a.ts", "import { «total» } from '../src';\n«total»(1);\n"),
            ("/p/test/b.ts", "import { ‹total› } from '../src/store';\n‹total›(1);\n"),
        ],
    );
}

const PYTHON: Named<'_> = ("/p/src/shop/cart.py", "def total(items):\n    return sum(items)\n");

#[rstest]
#[case::imported(
    "/p/src/a.py",
    "from shop.cart import «total», other\nprint(«total»([1]), x.‹total›, f(‹total›=1))  # ‹total›\n"
)]
#[case::from_the_tests("/p/tests/a.py", "from shop.cart import «total»\nprint(«total»([1]))\n")]
#[case::relative("/p/src/shop/a.py", "from .cart import «total»\nprint(«total»([1]))\n")]
#[case::from_above("/p/src/shop/in/a.py", "from ..cart import «total» as t\nt([1])\n")]
#[case::in_a_function(
    "/p/src/a.py",
    "def f():\n    from shop.cart import «total»\n    return «total»(1)\ndef g(): return ‹total›\n"
)]
#[case::as_a_module(
    "/p/src/a.py",
    "from shop import cart\nimport shop.cart as c\ncart.«total»(1); c.«total»(2); d.‹total›(3)\n"
)]
#[case::a_module_that_is_shadowed(
    "/p/src/a.py",
    "from shop import cart\ndef f(cart):\n    return cart.‹total›(1)\n"
)]
#[case::shadowed(
    "/p/src/a.py",
    "from shop.cart import «total»\ndef f(‹total›): return ‹total›\nx = «total»(1)\n"
)]
#[case::declared_as_well(
    "/p/src/a.py",
    "try:\n    from shop.cart import ‹total›\nexcept ImportError:\n    def ‹total›(x): pass\n‹total›(1)\n"
)]
#[case::of_another_module("/p/src/a.py", "from store.cart import ‹total›\n‹total›(1)\n")]
#[case::of_another_project("/q/a.py", "from shop.cart import ‹total›\n‹total›(1)\n")]
#[case::all_names("/p/src/a.py", "from shop.cart import *\n«total»(1)\n")]
#[case::all_names_of_two("/p/src/a.py", "from shop.cart import *\nfrom store import *\n‹total›(1)\n")]
#[case::built_in("/p/src/a.py", "‹total›(1)\n")]
fn uses_of_a_function_of_python(#[case] path: &str, #[case] marked: &str) {
    check(PYTHON, "total", "sum_of", &[(path, marked)]);
}

#[test]
fn a_package_of_python_passes_names_on() {
    check(
        PYTHON,
        "total",
        "sum_of",
        &[
            ("/p/src/shop/__init__.py", "from .cart import «total»\n__all__ = ['‹total›']\n"),
            ("/p/src/a.py", "from shop import «total»\nimport shop\nshop.«total»(«total»)\n"),
        ],
    );
}

/// Two files may be the module.
#[test]
fn a_module_with_two_files_is_left() {
    check(
        ("/p/cart.py", PYTHON.1),
        "total",
        "sum_of",
        &[
            ("/p/in/cart.py", "def ‹total›(): pass\n"),
            ("/p/in/a.py", "from cart import ‹total›\n‹total›(1)\n"),
            ("/p/b.py", "from cart import «total»\n«total»(1)\n"),
        ],
    );
}

const RUST: Named<'_> = ("/p/src/shop/cart.rs", "pub fn total(x: u32) -> u32 { x }\n");

#[rstest]
#[case::imported(
    "/p/src/a.rs",
    "use crate::shop::cart::«total»;\nfn f() -> u32 { «total»(1) + x.‹total› }\n"
)]
#[case::in_a_list(
    "/p/src/a.rs",
    "use crate::shop::{cart::{«total», other}, x};\nfn f() -> u32 { «total»(1) }\n"
)]
#[case::by_path("/p/src/a.rs", "fn f() -> u32 { crate::shop::cart::«total»(1) + other::‹total›(2) }\n")]
#[case::by_module("/p/src/a.rs", "use crate::shop::cart;\nfn f() -> u32 { cart::«total»(1) }\n")]
#[case::from_the_parent(
    "/p/src/shop.rs",
    "mod cart;\npub use cart::other;\nfn f() -> u32 { cart::«total»(1) }\n"
)]
#[case::from_a_sibling("/p/src/shop/mod2.rs", "use super::cart::«total»;\nfn f() -> u32 { «total»(1) }\n")]
#[case::in_an_inner_module(
    "/p/src/shop/a.rs",
    "mod tests {\n    use super::super::cart::«total»;\n    fn f() { «total»(1); }\n}\n"
)]
#[case::with_another_name("/p/src/a.rs", "use crate::shop::cart::«total» as t;\nfn f() -> u32 { t(1) }\n")]
#[case::of_another_crate("/p/tests/a.rs", "use p::shop::cart::«total»;\nfn f() -> u32 { «total»(1) }\n")]
#[case::all_names("/p/src/shop/cart/tests.rs", "use super::*;\nfn f() -> u32 { «total»(1) }\n")]
#[case::of_another_module("/p/src/a.rs", "use crate::store::‹total›;\nfn f() -> u32 { ‹total›(1) }\n")]
#[case::shadowed(
    "/p/src/a.rs",
    "use crate::shop::cart::«total»;\nfn f(‹total›: u32) -> u32 { ‹total› + g(«total»(1)) }\nfn g(x: u32) -> u32 { «total»(x) }\n"
)]
#[case::in_a_macro(
    "/p/src/a.rs",
    "use crate::shop::cart::«total»;\nfn f() { assert_eq!(«total»(1), 1); my!(‹total›); }\n"
)]
#[case::declared_there("/p/src/a.rs", "fn ‹total›() {}\nfn f() { ‹total›() }\n")]
fn uses_of_a_function_of_rust(#[case] path: &str, #[case] marked: &str) {
    let marked = marked.replace("‹total› + g(«total»(1))", "‹total› + g(1)");
    check(RUST, "total", "sum_all", &[(path, &marked)]);
}

#[test]
fn a_crate_passes_names_on() {
    check(
        ("/p/src/shop.rs", "pub struct Cart;\n"),
        "Cart",
        "Basket",
        &[
            ("/p/src/lib.rs", "mod shop;\npub use shop::«Cart»;\n"),
            ("/p/tests/a.rs", "use p::«Cart»;\nfn f(x: «Cart») { drop::<«Cart»>(x) }\n"),
            ("/p/tests/b.rs", "use q::‹Cart›;\nfn f(x: ‹Cart›) {}\n"),
        ],
    );
}

const GO: Named<'_> = ("/w/app/shop/cart.go", "package shop\n\nfunc Total(x int) int { return x }\n");

#[rstest]
#[case::same_package(
    "/w/app/shop/a.go",
    "package shop\n\nfunc f() int { return «Total»(1) + x.‹Total›() }\n"
)]
#[case::shadowed("/w/app/shop/a.go", "package shop\n\nfunc f(‹Total› int) int { return ‹Total› }\n")]
#[case::imported(
    "/w/app/a.go",
    "package app\n\nimport \"example.com/app/shop\"\n\nfunc f() int { return shop.«Total»(1) }\n"
)]
#[case::with_another_name(
    "/w/app/a.go",
    "package app\n\nimport s \"example.com/app/shop\"\n\nfunc f() int { return s.«Total»(1) }\n"
)]
#[case::of_another_package(
    "/w/app/a.go",
    "package app\n\nimport \"net/shop\"\n\nfunc f() int { return shop.‹Total›(1) }\n"
)]
#[case::of_the_tests("/w/app/shop/a_test.go", "package shop_test\n\nfunc f() int { return ‹Total›(1) }\n")]
#[case::of_another_folder("/w/app/other/a.go", "package shop\n\nfunc f() int { return ‹Total›(1) }\n")]
fn uses_of_a_function_of_go(#[case] path: &str, #[case] marked: &str) {
    check(GO, "Total", "Sum", &[(path, marked)]);
}

#[test]
fn a_type_of_go_is_renamed_behind_its_package() {
    let text = "package app\n\nimport \"example.com/app/shop\"\n\nfunc f(x shop.«Cart», y other.‹Cart›) shop.«Cart» { return shop.«Cart»{} }\n";
    let home = ("/w/app/shop/cart.go", "package shop\n\ntype Cart struct{}\n");
    check(home, "Cart", "Basket", &[("/w/app/a.go", text)]);
}

const JAVA: Named<'_> = (
    "/p/org/shop/Cart.java",
    "package org.shop;\n\npublic class Cart { static int total() { return 1; } }\n",
);

#[rstest]
#[case::same_package(
    "/p/org/shop/A.java",
    "package org.shop;\n\nclass A { «Cart» c = new «Cart»(); int f(int ‹Cart›) { return 1; } int g() { return «Cart».total(); } }\n"
)]
#[case::a_field(
    "/p/org/shop/A.java",
    "package org.shop;\n\nclass A { int ‹Cart›; int f() { return ‹Cart›.total(); } }\n"
)]
#[case::imported("/p/org/A.java", "package org;\n\nimport org.shop.«Cart»;\n\nclass A { «Cart» c; }\n")]
#[case::of_another_package(
    "/p/org/A.java",
    "package org;\n\nimport org.store.‹Cart›;\n\nclass A { ‹Cart› c; }\n"
)]
#[case::imported_over_the_package(
    "/p/org/shop/A.java",
    "package org.shop;\n\nimport org.store.‹Cart›;\n\nclass A { ‹Cart› c; }\n"
)]
#[case::declared_there("/p/org/shop/A.java", "package org.shop;\n\nclass A { class ‹Cart› {} ‹Cart› c; }\n")]
#[case::not_imported("/p/org/A.java", "package org;\n\nclass A { ‹Cart› c; }\n")]
fn uses_of_a_class_of_java(#[case] path: &str, #[case] marked: &str) {
    check(JAVA, "Cart", "Basket", &[(path, marked)]);
}

const C: Named<'_> = ("/p/shop.c", "int total(int x)\n{\n    return x;\n}\n");

#[test]
fn uses_of_a_function_of_c() {
    check(
        C,
        "total",
        "sum_all",
        &[
            ("/p/shop.h", "extern int «total»(int x);\n"),
            (
                "/p/a.c",
                "#include \"shop.h\"\nint f(void) { return «total»(1) + s.‹total› + p->‹total›; } /* ‹total› */\n",
            ),
            ("/p/b.c", "int f(int ‹total›) { return ‹total›; }\nint g(void) { return «total»(2); }\n"),
        ],
    );
}

/// Each program has its own.
#[test]
fn functions_of_two_programs_of_c_are_left() {
    let others = [
        ("/p/other.c", "int ‹total›(int y) { return y; }\n"),
        ("/p/a.c", "int f(void) { return ‹total›(1); }\n"),
    ];
    check(C, "total", "sum_all", &others);
    let home = ("/p/shop.c", "static int total(int x) { return x; }\n");
    check(home, "total", "sum_all", &[("/p/a.c", "int f(void) { return ‹total›(1); }\n")]);
}

#[rstest]
#[case::python(
    ("/p/shop.py", "class Cart:\n    def total(self):\n        return 1\n"), "Cart.total",
    ("/p/a.py", "from shop import Cart\nprint(Cart.«total»(c), c.‹total›())\n"))]
#[case::rust(
    ("/p/src/shop.rs", "pub struct Cart;\nimpl Cart {\n    pub fn total() {}\n}\n"), "Cart.total",
    ("/p/src/a.rs", "use crate::shop::Cart;\nfn f(c: Cart) { Cart::«total»(); c.‹total›(); crate::shop::Cart::«total»(); Other::‹total›() }\n"))]
#[case::java(JAVA, "Cart.total", ("/p/org/shop/A.java", "package org.shop;\n\nclass A { int f() { return Cart.«total»() + c.‹total›() + ‹total›(); } }\n"))]
#[case::of_another_class(
    ("/p/shop.py", "class Cart:\n    def total(self):\n        return 1\n"), "Cart.total",
    ("/p/a.py", "class Cart:\n    def ‹total›(self): pass\nCart.‹total›(1)\n"))]
fn a_member_is_renamed_behind_its_type_only(
    #[case] home: Named<'_>,
    #[case] symbol: &str,
    #[case] other: Named<'_>,
) {
    check(home, symbol, "amount", &[other]);
}

#[test]
fn comments_are_renamed_beside_uses() {
    check_with(
        PYTHON,
        ("total", "sum_of", true),
        &[
            ("/p/src/a.py", "from shop.cart import «total»\n\"\"\"The «total».\"\"\"\n"),
            ("/p/src/b.py", "print(1)  # the ‹total›\n"),
        ],
    );
}

#[rstest]
#[case::declared("from shop.cart import total\ndef sum_of(): pass\n", RenameRefusal::Taken { line: 2 })]
#[case::captured("from shop.cart import total\ndef f(sum_of):\n    return total(sum_of)\n", RenameRefusal::Captured { line: 3, by: 2 })]
#[case::hidden("from shop.cart import total\nsum_of(1)\n", RenameRefusal::Hidden { line: 2 })]
fn a_new_name_that_means_something_else_is_refused(#[case] text: &str, #[case] expected: RenameRefusal) {
    let all = renamed(PYTHON, ("total", "sum_of", false), &[("/p/src/a.py", text)]);
    assert_eq!(all, [Err(expected)]);
}

#[test]
fn what_no_other_file_can_name_is_left_there() {
    let home = ("/p/src/shop/cart.py", "def f():\n    def total(): pass\n    return total\n");
    check(home, "total", "sum_of", &[("/p/src/a.py", "from shop.cart import ‹total›\n")]);
    check(("/p/a.lua", "function total() end\n"), "total", "sum_of", &[("/p/b.lua", "‹total›()\n")]);
}
